import Graph

/// Makes a one-hot vector for each index: one value at that index, another value everywhere else.
///
/// - Inputs: indices of any shape, and optionally the length of the vectors as one number, which replaces
///   ``vectorSize``.
/// - Output: floats, with one axis more than the indices. ``axis`` is an index into the output's axes. A negative
///   ``axis`` counts from the end.
/// - Edge rule: for an index outside the vector, including a negative index, all elements of the vector are
///   ``offValue``.
///
/// **Source:** `OneHotLayerParams`.
public struct OneHotOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "OneHot", summary: "a one-hot vector for each index")

  /// The length of the vectors; nil if the second input holds this length.
  public let vectorSize: Int?
  /// The new axis, as an index into the output's axes.
  public let axis: Int
  /// The value of the element at the index.
  public let onValue: Float
  /// The value of all other elements.
  public let offValue: Float

  /// Creates an operator that makes vectors along a new axis. `vectorSize` is nil if the second input holds the length.
  public init(vectorSize: Int?, axis: Int = -1, onValue: Float = 1, offValue: Float = 0) {
    self.vectorSize = vectorSize
    self.axis = axis
    self.onValue = onValue
    self.offValue = offValue
  }

  /// Indices may be integers or floats.
  public static let elementTypes: ElementTypes = .numbers

  private func outputAxis(_ input: Shape) throws -> Int {
    try Shape([Int](repeating: 1, count: input.rank + 1)).axis(axis)
  }

  private func shape(_ input: Shape, _ size: [Int]) throws -> Shape {
    guard size.count == 1 else {
      throw EngineError(
        .invalidInput, "the length of the vectors is \(size.count) numbers, expected one.")
    }
    var dimensions: [Int] = input.dimensions
    dimensions.insert(size[0], at: try outputAxis(input))
    return try Shape.checked(dimensions)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let size = vectorSize.map({ [$0] }) ?? inputs[1].integers else { return nil }
    let element: ElementType = inputs[0].type.element
    return [
      TensorType(
        try shape(inputs[0].shape, size), element.isFloatingPoint ? element : .float32)
    ]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let axis: Int = try outputAxis(input.shape)
    let size: [Int] = vectorSize.map { [$0] } ?? inputs[1].integers
    return [
      ReferenceTensor(try shape(input.shape, size)) { index in
        var source = index
        let position: Int = source.remove(at: axis)
        let isMarked: Bool = ReferenceTensor.integer(input[source]) == position
        return Double(isMarked ? onValue : offValue)
      }
    ]
  }
}
