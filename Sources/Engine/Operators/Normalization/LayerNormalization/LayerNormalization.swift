import Graph

/// Layer normalisation over the innermost dimensions.
///
///     y = γ · (x − mean) / √(variance + ε) + β
///
/// - Inputs: a tensor of rank one or more whose last dimensions are ``normalizedShape``. Mean and biased variance are
///   computed over these dimensions. Then γ and β, each optional and of shape ``normalizedShape``. A missing γ is 1,
///   and a missing β is 0.
/// - Output: the first input's shape.
/// - Errors: the input's last dimensions are not ``normalizedShape``.
///
/// **Source:** `LayerNormalizationLayerParams`; Ba et al., arXiv:1607.06450.
public struct LayerNormalizationOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "LayerNormalization",
    summary: "γ (x − mean) / √(variance + ε) + β over the innermost dimensions")

  /// The innermost dimensions, over which the statistics are computed.
  public var normalizedShape: Shape
  /// A small number that is added to the variance.
  public var epsilon: Float
  /// Whether the second input holds the factors γ.
  public var hasGamma: Bool
  /// Whether the last input holds the shifts β.
  public var hasBeta: Bool

  /// Creates a layer normalisation.
  public init(
    normalizedShape: Shape, epsilon: Float = 1e-5, hasGamma: Bool = false, hasBeta: Bool = false
  ) {
    self.normalizedShape = normalizedShape
    self.epsilon = epsilon
    self.hasGamma = hasGamma
    self.hasBeta = hasBeta
  }

  /// The index of γ among the inputs; nil if there is none.
  package var gammaInput: Int? { hasGamma ? 1 : nil }
  /// The index of β among the inputs; nil if there is none.
  package var betaInput: Int? { hasBeta ? (hasGamma ? 2 : 1) : nil }
  private var inputCount: Int { 1 + (hasGamma ? 1 : 0) + (hasBeta ? 1 : 0) }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == inputCount else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(inputCount).")
    }
    let shape: Shape = inputs[0].shape
    guard Array(shape.dimensions.suffix(normalizedShape.rank)) == normalizedShape.dimensions else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected its last dimensions to be \(normalizedShape).")
    }
    for parameter in inputs.dropFirst() where parameter.shape != normalizedShape {
      throw EngineError(
        .invalidInput, "γ or β is \(parameter.shape), expected \(normalizedShape).")
    }
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let length: Int = normalizedShape.count
    let factors: [Double] =
      gammaInput.map { inputs[$0].values } ?? [Double](repeating: 1, count: length)
    let shifts: [Double] =
      betaInput.map { inputs[$0].values } ?? [Double](repeating: 0, count: length)
    var result: ReferenceTensor = inputs[0]
    for start in stride(from: 0, to: result.values.count, by: length) {
      let group: ArraySlice<Double> = inputs[0].values[start..<start + length]
      let (mean, variance) = Moments.of(group)
      let deviation: Double = (variance + Double(epsilon)).squareRoot()
      for offset in 0..<length {
        let unit: Double = (group[start + offset] - mean) / deviation
        result.values[start + offset] = unit * factors[offset] + shifts[offset]
      }
    }
    return [result]
  }
}
