import Graph

/// Joins tensors along the channels, or along the sequence.
///
/// - Inputs: one or more `[…, C, H, W]` of equal rank that agree on all other axes.
/// - Output: the same rank; the joined axis is the sum. Axis −3, or −5 with `joinsSequence`.
///
/// **Source:** `ConcatLayerParams`; for any axis see ``ConcatNDOperator``.
public struct ConcatOperator: MovingOperator, JoiningOperator {
  public static let declaration = OperatorDeclaration(
    "Concat", summary: "joins tensors along channels or sequence")

  /// Whether the sequence (axis −5) is joined rather than the channels (axis −3).
  public let joinsSequence: Bool

  /// A joining of channels, or of sequences.
  public init(joinsSequence: Bool = false) { self.joinsSequence = joinsSequence }

  package var axis: Int { joinsSequence ? -5 : -3 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try inputs[0].shape.requireRank(atLeast: -axis)
    let shape: Shape = try joinedShape(inputs.map(\.shape), axis: axis)
    return [inputs[0].type.reshaped(to: shape)]
  }

  public func joinedAxis(ofRank rank: Int) -> Int? { axis + rank }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try joined(inputs, axis: axis)]
  }
}

/// The shape of tensors joined along an axis; throws when they differ elsewhere.
package func joinedShape(_ shapes: [Shape], axis: Int) throws -> Shape {
  var result: Shape = shapes[0]
  let axis: Int = try result.axis(axis)
  for (position, shape) in shapes.enumerated().dropFirst() {
    var aligned = shape
    if shape.rank == result.rank { aligned[axis] = result[axis] }
    guard aligned == result else {
      throw EngineError(
        .invalidInput,
        "input \(position + 1) is \(shape), which does not join \(shapes[0]) along axis \(axis): all other sizes must agree."
      )
    }
    result[axis] += shape[axis]
  }
  return result
}

/// Tensors joined along an axis, in plain loops.
package func joined(_ inputs: [ReferenceTensor], axis: Int) throws -> ReferenceTensor {
  let shape: Shape = try joinedShape(inputs.map(\.shape), axis: axis)
  let axis: Int = try shape.axis(axis)
  return ReferenceTensor(shape) { index in
    var source = index
    var input = 0
    while source[axis] >= inputs[input].shape[axis] {
      source[axis] -= inputs[input].shape[axis]
      input += 1
    }
    return inputs[input][source]
  }
}
