import Graph

/// Takes one element for each index: `y[…, i, …] = x[…, indices[…, i, …], …]`, as
/// `numpy.take_along_axis`.
///
/// - Inputs: any tensor that has the axis, and indices of the same rank that agree on all other axes;
///   negative ones count from the end.
/// - Output: the shape of the indices.
/// - Error: an index that does not exist, unless the rule says otherwise.
///
/// **Source:** `GatherAlongAxisLayerParams`.
public struct GatherAlongAxisOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "GatherAlongAxis", summary: "takes one element for each index along an axis")

  /// The axis; negative counts from the end.
  public let axis: Int
  /// What an index may be.
  public let rule: IndexRule

  /// A taking of elements of an axis.
  public init(axis: Int, rule: IndexRule = .fromEnd) {
    self.axis = axis
    self.rule = rule
  }

  /// The second input holds indices.
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
        guard let place = try rule.place(indices[index], of: data.shape[axis], axis: axis) else {
          return 0
        }
        var source = index
        source[axis] = place
        return data[source]
      }
    ]
  }
}

/// The axis along which indices name elements; throws when the shapes differ on another.
package func alongAxis(_ axis: Int, data: Shape, indices: Shape) throws -> Int {
  let axis: Int = try data.axis(axis)
  var aligned: Shape = indices
  if indices.rank == data.rank { aligned[axis] = data[axis] }
  guard aligned == data else {
    throw EngineError(
      .invalidInput,
      "the indices are \(indices), expected the shape of the first input (\(data)) but for axis \(axis)."
    )
  }
  return axis
}
