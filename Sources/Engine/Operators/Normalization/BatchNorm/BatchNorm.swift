import Graph

/// Batch normalisation and instance normalisation.
///
///     y = γ[c] · (x − μ[c]) / √(σ²[c] + ε) + β[c]
///
/// - Inputs: `[…, C, H, W]`, rank three or more, with `C` channels; leading dimensions are batch. γ and β,
///   one number a channel each; where they are given, mean and variance, likewise; the residual; the statistics of the
///   input's blocks (``BlockStatistics``).
/// - Output: the first input's shape.
/// - Statistics: given ones; or those of the input, over `H` and `W` of every
///   sample (instance normalisation) or over the whole batch. The variance is the biased one
///   (divided by `n`).
/// - Defaults: ε = 1e-5 when not set or 0; γ = 1 and β = 0 when the model has none.
/// - Fused by passes: another input that is added (``residual``), and then an ``activation``; statistics that the maker
///   of the input has taken (``readsStatistics``).
/// - Errors: another number of channels than the model's.
///
/// **Source:** `BatchnormLayerParams`; Ioffe and Szegedy, arXiv:1502.03167; Ulyanov et al.,
/// arXiv:1607.08022.
public struct BatchNormOperator: Operator, PerChannelAffine {
  public static let declaration = OperatorDeclaration(
    "BatchNorm",
    summary: "γ (x − μ) / √(σ² + ε) + β a channel; with statistics of the input: instance norm")

  /// Where mean and variance come from.
  public enum Statistics: Sendable {
    /// From the two inputs after γ and β.
    case given
    /// From every sample of the input alone.
    case instance
    /// From all samples of the input together.
    case batch
  }

  /// The number of channels.
  public var channels: Int
  /// Where mean and variance come from.
  public var statistics: Statistics
  /// What is added to the variance.
  public var epsilon: Float
  /// Applied to the result, after the residual is added; set by passes.
  public var activation: ActivationFunction?
  /// The part of the last input that is added to the result: as many rows and columns as the first
  /// has, from this place on. Set by passes.
  public var residual: CropOperator.Offset?
  /// Whether the statistics of the first input's blocks are given as the last input; for instance normalisation. Set
  /// by passes.
  public var readsStatistics = false

  /// A normalisation over the given number of channels.
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

  /// Whether the statistics are those of every sample alone.
  public var isInstanceNormalization: Bool {
    if case .instance = statistics { return true }
    return false
  }

  /// Whether passes have joined parts of other layers to this one. Such a norm is no layer of any format, and has no
  /// gradient: writing and differentiation come before passes.
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
        "γ or β is \(parameter.shape), expected \(channels) numbers, one a channel.")
    }
    if let residual, let residualInput {
      try residual.require(inputs[residualInput].shape, covers: inputs[0].shape)
    }
    if let statisticsInput {
      let (given, wanted) = (
        inputs[statisticsInput].shape, try BlockStatistics.shape(of: inputs[0].shape)
      )
      guard isInstanceNormalization, given == wanted else {
        throw EngineError(
          .invalidModel, "the statistics are \(given), expected \(wanted) of an instance norm.")
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

  /// The positions of the parameters among the inputs.
  package var parameterInputs: Range<Int> {
    if case .given = statistics { return 1..<5 }
    return 1..<3
  }

  /// The position of the residual among the inputs; nil for none.
  package var residualInput: Int? { residual == nil ? nil : parameterInputs.upperBound }

  /// The position of the statistics among the inputs; nil for none.
  package var statisticsInput: Int? {
    readsStatistics ? parameterInputs.upperBound + (residual == nil ? 0 : 1) : nil
  }
}
