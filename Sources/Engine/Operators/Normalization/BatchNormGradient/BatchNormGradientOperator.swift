import Graph

/// The gradients of a normalisation that computes its statistics from its input.
///
///     ∂x = γ / σ · (∂y − mean(∂y) − x̂ · mean(∂y · x̂))
///     ∂γ = Σ ∂y · x̂
///     ∂β = Σ ∂y
///
/// with `x̂ = (x − μ) / σ` and `σ = √(variance + ε)`. Means are over the values from which the statistics were
/// computed.
///
/// - Inputs: `x [N, C, H, W]`; `∂y` of the shape of `x`; γ, one number per channel, if ``hasGamma`` is set.
/// - Outputs: `∂x` of the shape of `x`; `∂γ [C]`; `∂β [C]`. The sums for `∂γ` and `∂β` are over all samples and pixels.
/// - Errors: the number of channels of the inputs differs from ``channels``.
///
/// Only differentiation adds this operator to a graph. No model file contains it.
///
/// **Source:** Ioffe and Szegedy, arXiv:1502.03167, section 3.
public struct BatchNormGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "BatchNormGradient",
    summary: "the gradients of instance or batch normalisation: of the input, γ and β")

  /// The number of channels.
  public let channels: Int
  /// Whether each sample has separate statistics. If false, all samples share the statistics.
  public let isInstanceNormalization: Bool
  /// Whether the third input holds the factors γ. If false, the factors are 1.
  public let hasGamma: Bool
  /// The number that was added to the variance.
  public let epsilon: Float

  /// Creates an operator that computes the gradients of a normalisation with these parameters.
  public init(
    channels: Int, isInstanceNormalization: Bool, hasGamma: Bool = false,
    epsilon: Float = 1e-5
  ) {
    self.channels = channels
    self.isInstanceNormalization = isInstanceNormalization
    self.hasGamma = hasGamma
    self.epsilon = epsilon
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let expected: Int = hasGamma ? 3 : 2
    guard inputs.count == expected else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(expected).")
    }
    let map = try FeatureMap(inputs[0].shape)
    guard map.channels == channels, inputs[1].shape == inputs[0].shape,
      !hasGamma || inputs[2].shape.count == channels
    else {
      throw EngineError(
        .invalidInput,
        "the inputs are \(inputs.map { "\($0.shape)" }.joined(separator: " and ")), expected two images of \(channels) channels and \(channels) factors."
      )
    }
    return [TensorType(inputs[0].shape), TensorType([channels]), TensorType([channels])]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let map = try FeatureMap(inputs[0].shape)
    let factors: [Double] = hasGamma ? inputs[2].values : []
    var (source, gammas, betas) = (
      inputs[0], ReferenceTensor([channels]), ReferenceTensor([channels])
    )
    let groups: [Range<Int>] =
      isInstanceNormalization ? (0..<map.batch).map { $0..<$0 + 1 } : [0..<map.batch]
    for channel in 0..<channels {
      for group in groups {
        let offsets: [Int] = group.flatMap { (sample: Int) -> Range<Int> in
          let start: Int = map.offset(sample, channel, 0, 0)
          return start..<start + map.area
        }
        let (mean, variance) = Moments.of(offsets.map { inputs[0].values[$0] })
        let deviation: Double = (variance + Double(epsilon)).squareRoot()
        let normalized: [Double] = offsets.map { (inputs[0].values[$0] - mean) / deviation }
        let outputGradient: [Double] = offsets.map { inputs[1].values[$0] }
        let sum: Double = outputGradient.reduce(0, +)
        var product: Double = 0
        for (unit, value) in zip(normalized, outputGradient) { product += unit * value }
        let factor: Double = (factors.isEmpty ? 1 : factors[channel]) / deviation
        let count = Double(offsets.count)
        for (index, element) in offsets.enumerated() {
          source.values[element] =
            factor * (outputGradient[index] - sum / count - normalized[index] * product / count)
        }
        gammas.values[channel] += product
        betas.values[channel] += sum
      }
    }
    return [source, gammas, betas]
  }
}
