import Graph

/// Makes a vector of each number, with one value at the number's place and another everywhere else.
///
/// - Inputs: indices of any shape, and optionally the length of the vectors as one number; without it,
///   the parameter.
/// - Output: floats, one rank more; the axis of the vectors is counted in the output, negative from its end.
/// - An index outside of the vector, negative ones included, leaves it without a mark.
///
/// **Source:** `OneHotLayerParams`.
public struct OneHotOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "OneHot", summary: "marks each number's place in a vector")

  /// The length of a vector; nil when the second input says.
  public let vectorSize: Int?
  /// The new axis, counted in the output.
  public let axis: Int
  /// The value at the number's place.
  public let onValue: Float
  /// The value everywhere else.
  public let offValue: Float

  /// Vectors along a new axis; nil for their length where the second input holds it.
  public init(vectorSize: Int?, axis: Int = -1, onValue: Float = 1, offValue: Float = 0) {
    self.vectorSize = vectorSize
    self.axis = axis
    self.onValue = onValue
    self.offValue = offValue
  }

  /// Indices may be whole numbers or floats.
  public static let elementTypes: ElementTypes = .numbers

  private func place(_ input: Shape) throws -> Int {
    try Shape([Int](repeating: 1, count: input.rank + 1)).axis(axis)
  }

  private func shape(_ input: Shape, _ size: [Int]) throws -> Shape {
    guard size.count == 1 else {
      throw EngineError(
        .invalidInput, "the length of the vectors is \(size.count) numbers, expected one.")
    }
    var dimensions: [Int] = input.dimensions
    dimensions.insert(size[0], at: try place(input))
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
    let axis: Int = try place(input.shape)
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
