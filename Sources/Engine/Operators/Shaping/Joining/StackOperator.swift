import Graph

/// Joins tensors of equal shape along a new axis, like `numpy.stack`.
///
/// - Inputs: one or more tensors of equal shape.
/// - Output: the inputs' axes and one new axis. The extent of the new axis is the number of inputs. ``axis`` is an
///   index into the output's axes; a negative one counts from the end.
///
/// **Source:** `StackLayerParams`.
public struct StackOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Stack", summary: "joins tensors along a new axis")

  /// The new axis, as an index into the output's axes.
  public let axis: Int

  /// Creates a stack along a new axis.
  public init(axis: Int) { self.axis = axis }

  package func outputAxis(_ input: Shape) throws -> Int {
    try Shape([Int](repeating: 1, count: input.rank + 1)).axis(axis)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let first: Shape = inputs[0].shape
    if let other = inputs.first(where: { $0.shape != first }) {
      throw EngineError(
        .invalidInput,
        "stacked inputs must have one shape, but there are \(first) and \(other.shape).")
    }
    var dimensions: [Int] = first.dimensions
    dimensions.insert(inputs.count, at: try outputAxis(first))
    return [inputs[0].type.reshaped(to: try Shape.checked(dimensions))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let axis: Int = try outputAxis(inputs[0].shape)
    var shape: [Int] = inputs[0].shape.dimensions
    shape.insert(inputs.count, at: axis)
    return [
      ReferenceTensor(Shape(shape)) { index in
        var source = index
        return inputs[source.remove(at: axis)][source]
      }
    ]
  }
}
