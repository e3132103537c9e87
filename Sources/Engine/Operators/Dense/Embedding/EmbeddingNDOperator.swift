import Graph

/// Embedding of indices of any rank: looks up a column of a matrix for every index. The column replaces the last
/// dimension.
///
///     y = W[:, x] + b
///
/// - Input: indices in `0 ..< vocabSize`, of shape `[…, 1]`, rank two or more.
/// - Parameters: `W` of shape `[embeddingSize, vocabSize]`, then optionally the bias `b` of shape `[embeddingSize]`.
/// - Output: `[…, embeddingSize]`.
/// - Edge: fractional indices are truncated to integers.
/// - Errors: at run time, an index outside the table.
///
/// **Source:** `EmbeddingNDLayerParams`.
public struct EmbeddingNDOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "EmbeddingND", summary: "W[:, x] + b along the last dimension: a vector for every index")

  /// Creates an operator whose inputs are the indices, the table and optionally a bias.
  public init() {}

  /// Returns whether an element type is supported: integers and floats for indices, floats for table and bias.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    (input == 0 ? ElementTypes.numbers : .floatingPoint).contains(element)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let table: Shape = try OperatorInput.matrix(of: inputs)
    var shape: Shape = inputs[0].shape
    guard shape.rank >= 2, shape[-1] == 1 else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected two dimensions or more, the last of size 1.")
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
