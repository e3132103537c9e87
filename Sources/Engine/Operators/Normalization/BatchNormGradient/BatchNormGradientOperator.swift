import Graph

/// The gradients of a normalisation by the statistics of its own input.
///
///     ∂x = γ / σ · (∂y − mean(∂y) − x̂ · mean(∂y · x̂))
///     ∂γ = Σ ∂y · x̂
///     ∂β = Σ ∂y
///
/// with `x̂ = (x − μ) / σ`, `σ = √(σ² + ε)`, and means over what the statistics were taken of.
///
/// - Inputs: `x [N, C, H, W]`; `∂y` of its shape; γ, one number a channel, where ``hasGamma``.
/// - Outputs: `∂x` of the input's shape; `∂γ [C]`; `∂β [C]`, both summed over all samples.
/// - Errors: another number of channels than the norm's.
///
/// Made by differentiation only; no model holds it.
///
/// **Source:** Ioffe and Szegedy, arXiv:1502.03167, section 3.
public struct BatchNormGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "BatchNormGradient",
    summary: "the gradients of instance or batch normalisation: of the input, γ and β")

  /// The number of channels.
  public let channels: Int
  /// Whether every sample has statistics of its own; otherwise the batch has them together.
  public let isInstanceNormalization: Bool
  /// Whether there are factors, the third input; else they are 1.
  public let hasGamma: Bool
  /// What was added to the variance.
  public let epsilon: Float

  /// The gradients of a normalisation.
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
        "the inputs are \(inputs.map { "\($0.shape)" }.joined(separator: " and ")), expected two pictures of \(channels) channels and as many factors."
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
        let places: [Int] = group.flatMap { (sample: Int) -> Range<Int> in
          let start: Int = map.offset(sample, channel, 0, 0)
          return start..<start + map.area
        }
        let (mean, variance) = Moments.of(places.map { inputs[0].values[$0] })
        let deviation: Double = (variance + Double(epsilon)).squareRoot()
        let units: [Double] = places.map { (inputs[0].values[$0] - mean) / deviation }
        let given: [Double] = places.map { inputs[1].values[$0] }
        let sum: Double = given.reduce(0, +)
        var product: Double = 0
        for (unit, value) in zip(units, given) { product += unit * value }
        let factor: Double = (factors.isEmpty ? 1 : factors[channel]) / deviation
        let count = Double(places.count)
        for (index, place) in places.enumerated() {
          source.values[place] =
            factor * (given[index] - sum / count - units[index] * product / count)
        }
        gammas.values[channel] += product
        betas.values[channel] += sum
      }
    }
    return [source, gammas, betas]
  }
}
