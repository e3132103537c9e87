import Graph

/// Writes one element for each index:
/// `y = x; y[…, indices[…, i, …], …] ∘= updates[…, i, …]`, in the order of the updates; with
/// ``ScatterMode/update`` this is `numpy.put_along_axis`.
///
/// - Inputs: any tensor that has the axis, indices of the same rank that agree on all other axes
///   (negative ones count from the end), and updates of the indices' shape.
/// - Output: the shape of the first input.
/// - Error: an index that does not exist, unless the rule says otherwise.
///
/// **Source:** `ScatterAlongAxisLayerParams`.
public struct ScatterAlongAxisOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "ScatterAlongAxis", summary: "writes one element for each index along an axis")

  /// The axis; negative counts from the end.
  public let axis: Int
  /// What an update does to the value that is there.
  public let mode: ScatterMode
  /// What an index may be.
  public let rule: IndexRule

  /// A writing to an axis.
  public init(axis: Int, mode: ScatterMode = .update, rule: IndexRule = .fromEnd) {
    self.axis = axis
    self.mode = mode
    self.rule = rule
  }

  /// Whole numbers too.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    _ = try alongAxis(axis, data: inputs[0].shape, indices: inputs[1].shape)
    try requireUpdates(inputs[2].shape, inputs[1].shape)
    return [inputs[0].type]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (indices, updates) = (inputs[1], inputs[2])
    var output = inputs[0]
    let axis: Int = try alongAxis(axis, data: output.shape, indices: indices.shape)
    try indices.shape.forEachIndex { index, position in
      let named: Double = indices.values[position]
      guard let place = try rule.place(named, of: output.shape[axis], axis: axis) else { return }
      var target = index
      target[axis] = place
      output[target] = mode.combine(output[target], updates.values[position])
    }
    return [output]
  }
}
