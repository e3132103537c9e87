import Graph

/// Embedding: looks up a column of a matrix for every index.
///
///     y = W[:, x] + b
///
/// - Input: indices in `0 ..< inputDim`, of shape `[N, 1, 1, 1]` or `[sequence, batch, 1, 1, 1]`.
/// - Parameters: `W` of shape `[outputChannels, inputDim]`, then optionally the bias `b` of shape `[outputChannels]`.
/// - Output: the indices' shape with `outputChannels` at axis −3.
/// - Edge: fractional indices are truncated to integers.
/// - Errors: at run time, an index outside the table.
///
/// **Source:** `EmbeddingLayerParams`.
public struct EmbeddingOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Embedding", summary: "W[:, x] + b: a vector for every index")

  /// Creates an operator whose inputs are the indices, the table and optionally a bias.
  public init() {}

  /// Returns whether an element type is supported: integers and floats for indices, floats for table and bias.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    (input == 0 ? ElementTypes.numbers : .floatingPoint).contains(element)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let table: Shape = try OperatorInput.matrix(of: inputs)
    var shape: Shape = inputs[0].shape
    guard shape.rank == 4 || shape.rank == 5, shape.dimensions.suffix(3) == [1, 1, 1] else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected 4 or 5 dimensions, the last three of size 1."
      )
    }
    shape[-3] = table[0]
    return [TensorType(shape, inputs[1].type.element)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var shape: Shape = inputs[0].shape
    shape[-3] = inputs[1].shape[0]
    return [ReferenceTensor(shape, try inputs.lookedUp())]
  }
}
