import Graph

/// Embedding along the last dimension, of any rank.
///
///     y = W[:, x] + b
///
/// - Input: indices in `0 ..< vocabSize`, of shape `[…, 1]`, rank two or more.
/// - Parameters: `W` of shape `[embeddingSize, vocabSize]`, then, where there are shifts, `b` of shape
///   `[embeddingSize]`.
/// - Output: `[…, embeddingSize]`.
/// - Edge: fractions are cut off.
/// - Errors: an index outside the table, when it is met.
///
/// **Source:** `EmbeddingNDLayerParams`.
public struct EmbeddingNDOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "EmbeddingND", summary: "W[:, x] + b along the last dimension: a vector for every index")

  /// An operator whose inputs are indices, a table and perhaps shifts.
  public init() {}

  /// Indices may be whole numbers.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    (input == 0 ? ElementTypes.numbers : .floatingPoint).contains(element)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let table: Shape = try OperatorInput.matrix(of: inputs)
    var shape: Shape = inputs[0].shape
    guard shape.rank >= 2, shape[-1] == 1 else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected two dimensions or more of which the last is 1.")
    }
    shape[-1] = table[0]
    return [TensorType(shape, inputs[1].type.element)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var shape: Shape = inputs[0].shape
    shape[-1] = inputs[1].shape[0]
    return [ReferenceTensor(shape, try inputs.lookedUp())]
  }
}
