import Graph

/// Batch normalisation and instance normalisation.
///
///     y = γ[c] · (x − μ[c]) / √(σ²[c] + ε) + β[c]
///
/// - Inputs: `[…, C, H, W]`, rank three or more, with `C` channels; leading dimensions are batch. Then γ and β, each
///   with one number per channel. Then mean and variance, each with one number per channel, if ``statistics`` is
///   `given`.
/// - Output: the first input's shape.
/// - Statistics: given by inputs, or computed from the first input. Instance normalisation computes them over `H` and
///   `W` of each sample, batch normalisation over `H` and `W` of all samples. The variance is the biased one (divided
///   by `n`).
/// - Defaults of the model file: ε = 1e-5 if ε is missing or 0; γ = 1 if γ is missing; β = 0 if β is missing.
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

  /// Creates a normalisation over the given number of channels.
  public init(channels: Int, statistics: Statistics, epsilon: Float = 1e-5) {
    self.channels = channels
    self.statistics = statistics
    self.epsilon = epsilon
  }

  /// Whether mean and variance are computed from each sample separately.
  public var isInstanceNormalization: Bool {
    if case .instance = statistics { return true }
    return false
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let expected: Int = parameterInputs.upperBound
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
    return [TensorType(inputs[0].shape)]
  }

  public func affine(of constants: [Constant?], channels: Int) -> ChannelAffine? {
    guard case .given = statistics, channels == self.channels, constants.count == 5,
      let gamma = constants[1], let beta = constants[2],
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
}
