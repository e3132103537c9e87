import Graph

/// Joins tensors along any axis, one after the other or element by element in turn.
///
/// - Inputs: one or more of equal rank that agree on all other axes; interleaved ones on all.
/// - Output: the joined axis is the sum. Interleaved, its element `i · inputs + k` is element *i* of
///   input *k*.
///
/// **Source:** `ConcatNDLayerParams`.
public struct ConcatNDOperator: MovingOperator, JoiningOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "ConcatND", summary: "joins tensors along any axis")

  /// The axis; negative counts from the end.
  public let axis: Int
  /// Whether elements are taken from the inputs in turn.
  public let isInterleaved: Bool

  /// A joining along an axis.
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
