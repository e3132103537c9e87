import Graph

/// Layer normalisation over the innermost dimensions.
///
///     y = γ · (x − mean) / √(variance + ε) + β
///
/// - Input: rank one or more; its last dimensions are ``normalizedShape``. Mean and biased variance
///   run over these.
/// - Output: the input's shape.
/// - Parameters: γ and β of ``normalizedShape``; ones and zeros when the model has none.
/// - Errors: last dimensions that are not ``normalizedShape``.
///
/// **Source:** `LayerNormalizationLayerParams`; Ba et al., arXiv:1607.06450.
public struct LayerNormalizationOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "LayerNormalization", specification: "layerNormalization",
    summary: "γ (x − mean) / √(variance + ε) + β over the innermost dimensions")

  /// The innermost dimensions, over which the statistics run.
  public var normalizedShape: Shape
  /// What is added to the variance.
  public var epsilon: Float
  /// Factors; nil is 1.
  public var gamma: Weights?
  /// Shifts; nil is 0.
  public var beta: Weights?

  /// A layer.
  public init(
    normalizedShape: Shape, epsilon: Float = 1e-5, gamma: Weights? = nil, beta: Weights? = nil
  ) {
    self.normalizedShape = normalizedShape
    self.epsilon = epsilon
    self.gamma = gamma
    self.beta = beta
  }

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .layerNormalization(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let sizes: [Int] = try message.normalizedShape.map {
      try decoder.integer($0, "normalizedShape")
    }
    guard !sizes.isEmpty, sizes.allSatisfy({ $0 > 0 }) else {
      throw decoder.invalid(
        "normalizedShape is [\(Shape(sizes))], expected one or more positive sizes.")
    }
    let shape = Shape(sizes)
    self.init(
      normalizedShape: shape, epsilon: message.eps,
      gamma: message.gamma == nil
        ? nil : try decoder.weights(message.gamma, shape: shape, field: "gamma"),
      beta: message.beta == nil
        ? nil : try decoder.weights(message.beta, shape: shape, field: "beta"))
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    guard Array(shape.dimensions.suffix(normalizedShape.rank)) == normalizedShape.dimensions else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected its last dimensions to be \(normalizedShape).")
    }
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let length: Int = normalizedShape.count
    let factors: [Double] = try gamma?.doubles() ?? [Double](repeating: 1, count: length)
    let shifts: [Double] = try beta?.doubles() ?? [Double](repeating: 0, count: length)
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
