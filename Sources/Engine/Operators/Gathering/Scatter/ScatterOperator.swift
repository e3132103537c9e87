import Graph

/// Writes one slice along an axis for each index: `y = x; y[…, indices[i], …] ∘= updates[…, i, …]`, in the order of the
/// updates. ``mode`` determines the operation `∘`.
///
/// - Inputs: any tensor that has ``axis``, indices of any shape, and updates of the shape that ``GatherOperator`` would
///   return. Negative indices count from the end.
/// - Output: the shape of the first input.
/// - Error: an index out of range, unless ``rule`` allows it.
///
/// **Source:** `ScatterLayerParams`.
public struct ScatterOperator: ScatteringOperator {
  public static let declaration = OperatorDeclaration(
    "Scatter", summary: "writes slices at indices")

  /// The axis; a negative axis counts from the end.
  public let axis: Int
  /// How an update is combined with the current value.
  public let mode: ScatterMode
  /// The rule that decides which indices are valid and what happens for an invalid index.
  public let rule: IndexRule

  /// Creates an operator that scatters slices along an axis.
  public init(axis: Int, mode: ScatterMode = .update, rule: IndexRule = .fromEnd) {
    self.axis = axis
    self.mode = mode
    self.rule = rule
  }

  /// Integers and floating-point numbers.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let data: Shape = inputs[0].shape
    let axis: Int = try data.axis(axis)
    var expected: [Int] = data.dimensions
    expected.replaceSubrange(axis...axis, with: inputs[1].shape.dimensions)
    try requireUpdates(inputs[2].shape, Shape(expected))
    return [inputs[0].type]
  }

  public func forEachUpdate(
    of data: Shape, at indices: ReferenceTensor, _ updates: Shape,
    _ body: (_ target: Int, _ update: Int) -> Void
  ) throws {
    let axis: Int = try data.axis(axis)
    let rank: Int = indices.shape.rank
    let (numbers, steps, strides) = (indices.reals, indices.shape.strides, data.strides)
    try updates.forEachIndex { index, position in
      let named: Int = zip(index[axis..<axis + rank], steps).reduce(0) { $0 + $1.0 * $1.1 }
      guard let resolved = try rule.resolved(numbers[named], of: data[axis], axis: axis) else {
        return
      }
      var target = index
      target.replaceSubrange(axis..<axis + rank, with: [resolved])
      body(zip(target, strides).reduce(0) { $0 + $1.0 * $1.1 }, position)
    }
  }
}
