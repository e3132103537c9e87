import Graph

/// Concatenates tensors along the channel axis or the sequence axis.
///
/// - Inputs: one or more tensors `[…, C, H, W]` of equal rank. Their extents are equal except along the concatenated
///   axis.
/// - Output: the inputs' rank. The extent along the concatenated axis is the sum of the inputs' extents. The axis is
///   −3, or −5 if ``joinsSequence`` is set.
///
/// **Source:** `ConcatLayerParams`; for any axis see ``ConcatNDOperator``.
public struct ConcatOperator: MovingOperator, JoiningOperator {
  public static let declaration = OperatorDeclaration(
    "Concat", summary: "concatenates tensors along channels or sequence")

  /// Whether the operator concatenates along the sequence axis (−5); otherwise along the channel axis (−3).
  public let joinsSequence: Bool

  /// Creates a concatenation along the channel axis, or along the sequence axis if `joinsSequence` is true.
  public init(joinsSequence: Bool = false) { self.joinsSequence = joinsSequence }

  /// The axis along which inputs are concatenated.
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

/// Returns the shape of tensors that are concatenated along `axis`. Throws if their extents along any other axis
/// differ.
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

/// Concatenates tensors along an axis, for reference implementations.
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
