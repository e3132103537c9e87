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
public struct ScatterAlongAxisOperator: ScatteringOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "ScatterAlongAxis", summary: "writes one element for each index along an axis")

  /// The axis; negative counts from the end.
  public let axis: Int
  /// What an update does to the value that is there.
  public let mode: ScatterMode
  /// What an index may be.
  public let rule: IndexRule
  /// What becomes of integers that the type cannot hold, after each update.
  public var overflow = IntegerOverflow.wraps

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

  public func forEachUpdate(
    of data: Shape, at indices: ReferenceTensor, _ updates: Shape,
    _ body: (_ target: Int, _ update: Int) -> Void
  ) throws {
    let axis: Int = try alongAxis(axis, data: data, indices: indices.shape)
    let (numbers, strides) = (indices.reals, data.strides)
    try indices.shape.forEachIndex { index, position in
      guard let place = try rule.place(numbers[position], of: data[axis], axis: axis) else {
        return
      }
      var target = index
      target[axis] = place
      body(zip(target, strides).reduce(0) { $0 + $1.0 * $1.1 }, position)
    }
  }
}
