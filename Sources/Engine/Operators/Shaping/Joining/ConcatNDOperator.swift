import Graph

/// Concatenates tensors along any axis. The elements of the inputs follow one another or alternate.
///
/// - Inputs: one or more tensors of equal rank, with equal extents on all axes except ``axis``. If ``isInterleaved`` is
///   set, all inputs must have the same shape.
/// - Output: the inputs' rank. The extent along the axis is the sum of the inputs' extents. If ``isInterleaved`` is
///   set, element `i · n + k` along the axis is element *i* of input *k*, where *n* is the number of inputs.
///
/// **Source:** `ConcatNDLayerParams`.
public struct ConcatNDOperator: MovingOperator, JoiningOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "ConcatND", summary: "concatenates tensors along any axis")

  /// The axis; a negative one counts from the end.
  public let axis: Int
  /// Whether the elements of the inputs alternate along the axis.
  public let isInterleaved: Bool

  /// Creates a concatenation along an axis.
  public init(axis: Int, isInterleaved: Bool = false) {
    self.axis = axis
    self.isInterleaved = isInterleaved
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shapes: [Shape] = inputs.map(\.shape)
    if isInterleaved, let other = shapes.first(where: { $0 != shapes[0] }) {
      throw EngineError(
        .invalidInput,
        "interleaved inputs must have one shape, but there are \(shapes[0]) and \(other).")
    }
    return [inputs[0].type.reshaped(to: try joinedShape(shapes, axis: axis))]
  }

  public func joinedAxis(ofRank rank: Int) -> Int? {
    isInterleaved ? nil : axis < 0 ? axis + rank : axis
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    guard isInterleaved else { return [try joined(inputs, axis: axis)] }
    let shape: Shape = try joinedShape(inputs.map(\.shape), axis: axis)
    let axis: Int = try shape.axis(axis)
    return [
      ReferenceTensor(shape) { index in
        var source = index
        source[axis] /= inputs.count
        return inputs[index[axis] % inputs.count][source]
      }
    ]
  }
}
