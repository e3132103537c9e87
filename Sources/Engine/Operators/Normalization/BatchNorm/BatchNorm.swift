import Graph

/// Batch normalisation and instance normalisation.
///
///     y = γ[c] · (x − μ[c]) / √(σ²[c] + ε) + β[c]
///
/// - Inputs: `[…, C, H, W]`, rank three or more, with `C` channels; leading dimensions are batch. Then γ and β, each
///   with one number per channel. Then, each only if the operator has it: mean and variance, each with one number per
///   channel; the residual; the statistics of the first input's blocks (``BlockStatistics``).
/// - Output: the first input's shape.
/// - Statistics: given by inputs, or computed from the first input. Instance normalisation computes them over `H` and
///   `W` of each sample, batch normalisation over `H` and `W` of all samples. The variance is the biased one (divided
///   by `n`).
/// - Defaults of the model file: ε = 1e-5 if ε is missing or 0; γ = 1 if γ is missing; β = 0 if β is missing.
/// - Passes can fuse operators that follow the norm into the norm, in this order: the addition of another input
///   (``residual``), an ``activation``. A pass may also let the convolution before the norm compute the statistics,
///   which the norm then reads (``readsStatistics``).
/// - Errors: the number of channels of the input differs from ``channels``.
///
/// **Source:** `BatchnormLayerParams`; Ioffe and Szegedy, arXiv:1502.03167; Ulyanov et al.,
/// arXiv:1607.08022.
public struct BatchNormOperator: Operator, PerChannelAffine {
  public static let declaration = OperatorDeclaration(
    "BatchNorm",
    summary: "γ (x − μ) / √(σ² + ε) + β per channel; with statistics of the input: instance norm")

  /// The source of mean and variance.
  public enum Statistics: Sendable {
    /// The two inputs after γ and β hold mean and variance.
    case given
    /// Mean and variance are computed from each sample of the input separately.
    case instance
    /// Mean and variance are computed from all samples of the input together.
    case batch
  }

  /// The number of channels.
  public var channels: Int
  /// The source of mean and variance.
  public var statistics: Statistics
  /// A small number that is added to the variance.
  public var epsilon: Float
  /// The activation that is applied after the residual is added; nil for none. Set by passes.
  public var activation: ActivationFunction?
  /// The first row and column of the residual that the norm adds to its result. The added part of the residual has the
  /// size of the result. Nil if there is no residual. Set by passes.
  public var residual: CropOperator.Offset?
  /// Whether the last input holds the statistics of the first input's blocks. Set by passes, and only for instance
  /// normalisation.
  public var readsStatistics = false

  /// Creates a normalisation over the given number of channels.
  public init(
    channels: Int, statistics: Statistics, epsilon: Float = 1e-5,
    activation: ActivationFunction? = nil, residual: CropOperator.Offset? = nil
  ) {
    self.channels = channels
    self.statistics = statistics
    self.epsilon = epsilon
    self.activation = activation
    self.residual = residual
  }

  /// Whether mean and variance are computed from each sample separately.
  public var isInstanceNormalization: Bool {
    if case .instance = statistics { return true }
    return false
  }

  /// Whether passes have fused other operators into this one, or made it read block statistics. No file format has a
  /// layer for such a norm, and such a norm has no gradient. Neither is needed, because models are written and
  /// differentiated before the passes run.
  public var hasJoinedParts: Bool { activation != nil || residual != nil || readsStatistics }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let expected: Int =
      parameterInputs.upperBound + (residual == nil ? 0 : 1) + (readsStatistics ? 1 : 0)
    guard inputs.count == expected else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(expected).")
    }
    let map = try FeatureMap(inputs[0].shape)
    guard map.channels == channels else {
      throw EngineError(
        .invalidInput,
        "the input has \(map.channels) channels (\(inputs[0].shape)), expected \(channels).")
    }
    for parameter in inputs[parameterInputs] where parameter.shape.count != channels {
      throw EngineError(
        .invalidInput,
        "γ or β is \(parameter.shape), expected \(channels) numbers, one per channel.")
    }
    if let residual, let residualInput {
      try residual.require(inputs[residualInput].shape, covers: inputs[0].shape)
    }
    if let statisticsInput {
      let (found, expectedShape) = (
        inputs[statisticsInput].shape, try BlockStatistics.shape(of: inputs[0].shape)
      )
      guard isInstanceNormalization, found == expectedShape else {
        throw EngineError(
          .invalidModel,
          "the statistics are \(found), expected \(expectedShape) of an instance norm.")
      }
    }
    return [TensorType(inputs[0].shape)]
  }

  public func affine(of constants: [Constant?], channels: Int) -> ChannelAffine? {
    guard case .given = statistics, activation == nil, residual == nil, channels == self.channels,
      constants.count == 5, let gamma = constants[1], let beta = constants[2],
      let mean = constants[3], let variance = constants[4]
    else { return nil }
    let epsilon = Double(self.epsilon)
    @Sendable func factors() throws -> [Double] {
      zip(try gamma.doubles(), try variance.doubles()).map { $0 / ($1 + epsilon).squareRoot() }
    }
    return ChannelAffine(
      scale: Constant([channels], recipe: "γ / √(σ² + \(self.epsilon))", of: [gamma, variance]) {
        try factors().map { Float($0) }
      },
      shift: Constant(
        [channels], recipe: "β − μ γ / √(σ² + \(self.epsilon))", of: [gamma, beta, mean, variance]
      ) {
        let (betas, means) = (try beta.doubles(), try mean.doubles())
        return try factors().enumerated().map { Float(betas[$0] - means[$0] * $1) }
      })
  }

  /// The positions, in the list of inputs, of γ, β and, if ``statistics`` is `given`, the mean and the variance.
  package var parameterInputs: Range<Int> {
    if case .given = statistics { return 1..<5 }
    return 1..<3
  }

  /// The position of the residual in the list of inputs; nil if there is no residual.
  package var residualInput: Int? { residual == nil ? nil : parameterInputs.upperBound }

  /// The position of the block statistics in the list of inputs; nil if no input holds them.
  package var statisticsInput: Int? {
    readsStatistics ? parameterInputs.upperBound + (residual == nil ? 0 : 1) : nil
  }
}
