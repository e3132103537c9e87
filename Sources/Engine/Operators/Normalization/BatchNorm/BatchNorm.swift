import Graph

/// Batch normalisation and instance normalisation.
///
///     y = γ[c] · (x − μ[c]) / √(σ²[c] + ε) + β[c]
///
/// - Input: `[…, C, H, W]`, rank three or more, with `C` channels; leading dimensions are batch.
/// - Output: the input's shape.
/// - Statistics: the model's mean and variance; or those of the input, over `H` and `W` of every
///   sample (instance normalisation) or over the whole batch. The variance is the biased one
///   (divided by `n`).
/// - Defaults: ε = 1e-5 when not set or 0; γ = 1 and β = 0 when the model has none.
/// - Fused by passes: γ and β that the network computes (``takesParameters``), another input that is
///   added (``residual``), and then an ``activation``.
/// - Errors: another number of channels than the model's.
///
/// **Source:** `BatchnormLayerParams`; Ioffe and Szegedy, arXiv:1502.03167; Ulyanov et al.,
/// arXiv:1607.08022.
public struct BatchNormOperator: Layer, PerChannelAffine {
  public static let declaration = OperatorDeclaration(
    "BatchNorm", specification: "batchnorm",
    summary: "γ (x − μ) / √(σ² + ε) + β a channel; with statistics of the input: instance norm")

  /// Where mean and variance come from.
  public enum Statistics: Sendable {
    /// From the model.
    case given(mean: Weights, variance: Weights)
    /// From every sample of the input alone.
    case instance
    /// From all samples of the input together.
    case batch
  }

  /// The number of channels.
  public var channels: Int
  /// Where mean and variance come from.
  public var statistics: Statistics
  /// The factor of every channel; nil is 1.
  public var gamma: Weights?
  /// The shift of every channel; nil is 0.
  public var beta: Weights?
  /// What is added to the variance.
  public var epsilon: Float
  /// Applied to the result, after the residual is added; set by passes.
  public var activation: ActivationFunction?
  /// The part of the last input that is added to the result: as many rows and columns as the first
  /// has, from this place on. Set by passes.
  public var residual: CropOperator.Offset?
  /// Whether γ and β are the inputs behind the first, one number a channel each; set by passes, for
  /// instance normalisation alone.
  public var takesParameters = false

  /// A normalisation over the given number of channels.
  public init(
    channels: Int, statistics: Statistics, gamma: Weights? = nil, beta: Weights? = nil,
    epsilon: Float = 1e-5, activation: ActivationFunction? = nil, residual: CropOperator.Offset? = nil
  ) {
    self.channels = channels
    self.statistics = statistics
    self.gamma = gamma
    self.beta = beta
    self.epsilon = epsilon
    self.activation = activation
    self.residual = residual
  }

  /// Whether the statistics are those of every sample alone.
  public var isInstanceNormalization: Bool {
    if case .instance = statistics { return true }
    return false
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let expected: Int = 1 + (takesParameters ? 2 : 0) + (residual == nil ? 0 : 1)
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
    if takesParameters {
      for parameter in inputs[1...2] where parameter.shape.count != channels {
        throw EngineError(
          .invalidInput,
          "γ or β is \(parameter.shape), expected \(channels) numbers, one a channel.")
      }
    }
    if let residual, let added = inputs.last {
      try residual.require(added.shape, covers: inputs[0].shape)
    }
    return [TensorType(inputs[0].shape)]
  }

  /// Scale and shift a channel where the statistics are the model's and nothing is fused; else nil.
  public func affine() throws -> (scale: [Float], shift: [Float])? {
    guard activation == nil, residual == nil, !takesParameters,
      case .given(let meanWeights, let varianceWeights) = statistics
    else { return nil }
    let mean: [Double] = try meanWeights.doubles()
    let variance: [Double] = try varianceWeights.doubles()
    let (gammas, betas) = try gammaAndBeta()
    var scale: [Float] = []
    var shift: [Float] = []
    for channel in 0..<channels {
      let factor: Double = gammas[channel] / (variance[channel] + Double(epsilon)).squareRoot()
      scale.append(Float(factor))
      shift.append(Float(betas[channel] - mean[channel] * factor))
    }
    return (scale, shift)
  }

  /// γ and β, ones and zeros where the model has none; not those that are inputs.
  package func gammaAndBeta() throws -> (gamma: [Double], beta: [Double]) {
    (
      try gamma?.doubles() ?? [Double](repeating: 1, count: channels),
      try beta?.doubles() ?? [Double](repeating: 0, count: channels)
    )
  }
}
