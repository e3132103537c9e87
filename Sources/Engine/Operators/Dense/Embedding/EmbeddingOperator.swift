import Graph

/// Embedding: looks a column of a matrix up for every index.
///
///     y = W[:, x] + b
///
/// - Input: indices in `0 ..< inputDim`, of shape `[N, 1, 1, 1]` or `[sequence, batch, 1, 1, 1]`.
/// - Parameters: `W` of shape `[outputChannels, inputDim]`, then, where there are shifts, `b` of shape
///   `[outputChannels]`.
/// - Output: the indices' shape with `outputChannels` at axis −3.
/// - Edge: fractions are cut off.
/// - Errors: an index outside the table, when it is met.
///
/// **Source:** `EmbeddingLayerParams`.
public struct EmbeddingOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Embedding", summary: "W[:, x] + b: a vector for every index")

  /// An operator whose inputs are indices, a table and perhaps shifts.
  public init() {}

  /// Indices may be whole numbers.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    (input == 0 ? ElementTypes.numbers : .floatingPoint).contains(element)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let table: Shape = try OperatorInput.matrix(of: inputs)
    var shape: Shape = inputs[0].shape
    guard shape.rank == 4 || shape.rank == 5, shape.dimensions.suffix(3) == [1, 1, 1] else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected 4 or 5 dimensions of which the last three are 1."
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
