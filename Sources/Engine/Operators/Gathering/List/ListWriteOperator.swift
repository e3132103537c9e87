import Graph

/// Writes elements into a list: a tensor whose first axis counts the elements.
///
/// - Inputs: a list `[length, …element]`; one index, or a vector of them; the element, or one for each index
///   along a first axis. The last of several elements for one index wins.
/// - Output: the list. One that grows is as long as the largest index asks for; what nothing was written to is 0.
/// - Edge: a list whose elements are empty takes the shape of the elements that are written: nothing was known
///   of it before.
/// - Error: an index below 0; of a list that does not grow, one that does not exist.
///
/// **Source:** `list_write` and `list_scatter` of ML Programs.
public struct ListWriteOperator: MovingOperator, RowOperator {
  public static let declaration = OperatorDeclaration(
    "ListWrite", summary: "writes elements into a list")

  /// Whether the list becomes longer where an index asks for it.
  public let grows: Bool

  /// A writing into a list.
  public init(grows: Bool) { self.grows = grows }

  /// The second input holds indices.
  public func moves(input: Int) -> Bool { input != 1 }

  package func rowAction(ofRank rank: Int) -> RowAction? { .write(grows: grows) }

  package func row(named index: Int, of count: Int) throws -> Int? {
    try ListPlaces.require(index, of: grows ? max(count, index + 1) : count)
    return index
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == 3 else {
      throw EngineError(.invalidModel, "it has \(inputs.count) inputs, expected 3.")
    }
    let places = try ListPlaces(inputs[0].shape, inputs[1].shape, inputs[2].shape)
    guard grows else {
      return [TensorType(places.shape(inputs[0].shape[0]), inputs[0].type.element)]
    }
    guard inputs[1].shape.count > 0 else { return [inputs[0].type] }
    guard let indices = inputs[1].integers else { return nil }
    let length: Int = max(inputs[0].shape[0], (indices.max() ?? -1) + 1)
    return [
      TensorType(try Shape.checked(places.shape(length).dimensions), inputs[0].type.element)
    ]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (list, indices, values) = (inputs[0], inputs[1].integers, inputs[2])
    let places = try ListPlaces(list.shape, inputs[1].shape, values.shape)
    let length: Int = list.shape[0]
    let longest: Int = grows ? max(length, (indices.max() ?? -1) + 1) : length
    var made = ReferenceTensor(places.shape(longest))
    if list.shape.count > 0 { made.values.replaceSubrange(0..<list.shape.count, with: list.values) }
    let size: Int = places.element.count
    for (position, index) in indices.enumerated() {
      try ListPlaces.require(index, of: longest)
      made.values.replaceSubrange(
        index * size..<(index + 1) * size,
        with: values.values[position * size..<(position + 1) * size])
    }
    return [made]
  }
}

/// What is written into a list.
package struct ListPlaces: Sendable {
  /// The shape of an element.
  package let element: Shape
  /// The number of indices.
  package let count: Int

  /// Throws where the shapes of a list, of indices and of elements do not fit.
  package init(_ list: Shape, _ indices: Shape, _ values: Shape) throws {
    guard indices.rank <= 1, values.rank >= indices.rank,
      Array(values.dimensions.prefix(indices.rank)) == indices.dimensions
    else {
      throw EngineError(
        .invalidInput,
        "the elements are \(values) for indices of \(indices), expected an element an index.")
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

  /// The shape of a list of a length.
  package func shape(_ length: Int) -> Shape { Shape([length] + element.dimensions) }

  /// Throws for a place that a list does not have.
  package static func require(_ index: Int, of length: Int) throws {
    guard index >= 0, index < length else {
      throw EngineError(
        .invalidInput, "index \(index) does not exist in a list of \(length), expected 0 or more.")
    }
  }
}
