import Graph

/// Writes one element for each index: `y = x; y[…, indices[…, i, …], …] ∘= updates[…, i, …]`, in the order of the
/// updates. ``mode`` determines the operation `∘`. With ``ScatterMode/update`` this is `numpy.put_along_axis`.
///
/// - Inputs: any tensor that has ``axis``, indices, and updates of the indices' shape. The indices have the rank of the
///   first input and, on every axis except ``axis``, the same extent as the first input. Negative indices count from
///   the end.
/// - Output: the shape of the first input.
/// - Error: an index out of range, unless ``rule`` allows it.
///
/// **Source:** `ScatterAlongAxisLayerParams`.
public struct ScatterAlongAxisOperator: ScatteringOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "ScatterAlongAxis", summary: "writes one element for each index along an axis")

  /// The axis; a negative axis counts from the end.
  public let axis: Int
  /// How an update is combined with the current value.
  public let mode: ScatterMode
  /// The rule that decides which indices are valid and what happens for an invalid index.
  public let rule: IndexRule
  /// Whether an integer result that overflows the element type wraps around or saturates.
  public var overflow = IntegerOverflow.wraps

  /// Creates an operator that scatters elements along an axis.
  public init(axis: Int, mode: ScatterMode = .update, rule: IndexRule = .fromEnd) {
    self.axis = axis
    self.mode = mode
    self.rule = rule
  }

  /// Integers and floating-point numbers.
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
      guard let resolved = try rule.resolved(numbers[position], of: data[axis], axis: axis) else {
        return
      }
      var target = index
      target[axis] = resolved
      body(zip(target, strides).reduce(0) { $0 + $1.0 * $1.1 }, position)
    }
  }
}
