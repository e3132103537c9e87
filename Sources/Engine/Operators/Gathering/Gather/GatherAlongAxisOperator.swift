import Graph

/// Takes one element for each index: `y[…, i, …] = x[…, indices[…, i, …], …]`, like `numpy.take_along_axis`.
///
/// - Inputs: any tensor that has ``axis``, and indices. The indices have the rank of the first input and, on every axis
///   except ``axis``, the same extent as the first input. Negative indices count from the end.
/// - Output: the shape of the indices.
/// - Error: an index out of range, unless ``rule`` allows it.
///
/// **Source:** `GatherAlongAxisLayerParams`.
public struct GatherAlongAxisOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "GatherAlongAxis", summary: "takes one element for each index along an axis")

  /// The axis; a negative axis counts from the end.
  public let axis: Int
  /// The rule that decides which indices are valid and what happens for an invalid index.
  public let rule: IndexRule

  /// Creates an operator that gathers elements along an axis.
  public init(axis: Int, rule: IndexRule = .fromEnd) {
    self.axis = axis
    self.rule = rule
  }

  /// Returns false for the second input, which holds indices.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    _ = try alongAxis(axis, data: inputs[0].shape, indices: inputs[1].shape)
    return [inputs[0].type.reshaped(to: inputs[1].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (data, indices) = (inputs[0], inputs[1])
    let axis: Int = try alongAxis(axis, data: data.shape, indices: indices.shape)
    return [
      try ReferenceTensor(indices.shape) { index in
        guard let resolved = try rule.resolved(indices[index], of: data.shape[axis], axis: axis)
        else {
          return 0
        }
        var source = index
        source[axis] = resolved
        return data[source]
      }
    ]
  }
}

/// Returns the axis along which elements are gathered or scattered, as a non-negative index. Throws if the shapes of
/// data and indices differ on another axis.
package func alongAxis(_ axis: Int, data: Shape, indices: Shape) throws -> Int {
  let axis: Int = try data.axis(axis)
  var aligned: Shape = indices
  if indices.rank == data.rank { aligned[axis] = data[axis] }
  guard aligned == data else {
    throw EngineError(
      .invalidInput,
      "the indices are \(indices), expected the shape of the first input (\(data)) except for axis \(axis)."
    )
  }
  return axis
}
