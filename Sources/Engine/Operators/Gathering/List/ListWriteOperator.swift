import Graph

/// Writes elements into a list: a tensor whose first axis counts the elements.
///
/// - Inputs: a list `[length, …element]`; one index, or a vector of indices; the element, or a tensor that holds one
///   element per index along its first axis. If several elements have the same index, the last of them remains.
/// - Output: the list. If ``grows`` is set, the list becomes long enough for the largest index. Elements that were
///   never written are 0.
/// - Edge: if the elements of the input list have an extent of 0, their shape was unknown when the list was made. The
///   output's elements then have the shape of the written elements.
/// - Error: an index below 0, or beyond the end of a list of fixed length.
///
/// **Source:** `list_write` and `list_scatter` of ML Programs.
public struct ListWriteOperator: MovingOperator, RowOperator {
  public static let declaration = OperatorDeclaration(
    "ListWrite", summary: "writes elements into a list")

  /// Whether the list becomes longer if an index is beyond its end.
  public let grows: Bool

  /// Creates an operator that writes into a list.
  public init(grows: Bool) { self.grows = grows }

  /// Returns false for the second input, which holds indices.
  public func moves(input: Int) -> Bool { input != 1 }

  package func rowAction(ofRank rank: Int) -> RowAction? { .write(grows: grows) }

  package func row(named index: Int, of count: Int) throws -> Int? {
    try ListIndices.require(index, of: grows ? max(count, index + 1) : count)
    return index
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == 3 else {
      throw EngineError(.invalidModel, "it has \(inputs.count) inputs, expected 3.")
    }
    let written = try ListIndices(inputs[0].shape, inputs[1].shape, inputs[2].shape)
    guard grows else {
      return [TensorType(written.shape(inputs[0].shape[0]), inputs[0].type.element)]
    }
    guard inputs[1].shape.count > 0 else { return [inputs[0].type] }
    guard let indices = inputs[1].integers else { return nil }
    let length: Int = max(inputs[0].shape[0], (indices.max() ?? -1) + 1)
    return [
      TensorType(try Shape.checked(written.shape(length).dimensions), inputs[0].type.element)
    ]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (list, indices, values) = (inputs[0], inputs[1].integers, inputs[2])
    let written = try ListIndices(list.shape, inputs[1].shape, values.shape)
    let length: Int = list.shape[0]
    let longest: Int = grows ? max(length, (indices.max() ?? -1) + 1) : length
    var result = ReferenceTensor(written.shape(longest))
    if list.shape.count > 0 {
      result.values.replaceSubrange(0..<list.shape.count, with: list.values)
    }
    let size: Int = written.element.count
    for (position, index) in indices.enumerated() {
      try ListIndices.require(index, of: longest)
      result.values.replaceSubrange(
        index * size..<(index + 1) * size,
        with: values.values[position * size..<(position + 1) * size])
    }
    return [result]
  }
}

/// The shape and the number of the elements that are written into a list.
package struct ListIndices: Sendable {
  /// The shape of an element.
  package let element: Shape
  /// The number of indices.
  package let count: Int

  /// Reads the element shape and the number of indices. Throws if the shapes of the list, the indices and the elements
  /// do not match.
  package init(_ list: Shape, _ indices: Shape, _ values: Shape) throws {
    guard indices.rank <= 1, values.rank >= indices.rank,
      Array(values.dimensions.prefix(indices.rank)) == indices.dimensions
    else {
      throw EngineError(
        .invalidInput,
        "the elements are \(values) for indices of \(indices), expected one element per index.")
    }
    element = Shape(Array(values.dimensions.dropFirst(indices.rank)))
    count = indices.count
    let isKnown: Bool = list.rank > 0 && !list.dimensions.dropFirst().contains(0)
    guard list.rank == element.rank + 1,
      !isKnown || Array(list.dimensions.dropFirst()) == element.dimensions
    else {
      throw EngineError(
        .invalidInput,
        "an element is \(element), expected \(Shape(Array(list.dimensions.dropFirst()))) in this list."
      )
    }
  }

  /// Returns the shape of a list of this length.
  package func shape(_ length: Int) -> Shape { Shape([length] + element.dimensions) }

  /// Throws if a list of this length has no such index.
  package static func require(_ index: Int, of length: Int) throws {
    guard index >= 0, index < length else {
      throw EngineError(
        .invalidInput,
        "index \(index) does not exist in a list of \(length), expected \(index < 0 ? "0 or more" : "less than \(length)")."
      )
    }
  }
}
