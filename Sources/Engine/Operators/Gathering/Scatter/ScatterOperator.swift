import Graph

/// Writes slices to the places that a list of indices names:
/// `y = x; y[…, indices[i], …] ∘= updates[…, i, …]`, in the order of the updates.
///
/// - Inputs: any tensor that has the axis, indices of any shape (negative ones count from the end), and
///   updates of the shape that ``GatherOperator`` would give.
/// - Output: the shape of the first input.
/// - Error: an index that does not exist, unless the rule says otherwise.
///
/// **Source:** `ScatterLayerParams`.
public struct ScatterOperator: ScatteringOperator {
  public static let declaration = OperatorDeclaration(
    "Scatter", summary: "writes slices to the places that indices name")

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
      guard let place = try rule.place(numbers[named], of: data[axis], axis: axis) else { return }
      var target = index
      target.replaceSubrange(axis..<axis + rank, with: [place])
      body(zip(target, strides).reduce(0) { $0 + $1.0 * $1.1 }, position)
    }
  }
}
