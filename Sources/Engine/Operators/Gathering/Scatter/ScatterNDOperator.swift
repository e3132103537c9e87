import Graph

/// Writes slices to the places that index vectors name: `y = x; y[indices[i], …] ∘= updates[i, …]`, in
/// the order of the updates.
///
/// - Inputs: any tensor, indices `[…, L]` with L at most its rank (negative ones count from the end),
///   and updates of the shape that ``GatherNDOperator`` would give.
/// - Output: the shape of the first input.
/// - Error: an index that does not exist, unless the rule says otherwise.
///
/// **Source:** `ScatterNDLayerParams`.
public struct ScatterNDOperator: ScatteringOperator {
  public static let declaration = OperatorDeclaration(
    "ScatterND", summary: "writes slices to the places that index vectors name")

  /// What an update does to the value that is there.
  public let mode: ScatterMode
  /// What an index may be.
  public let rule: IndexRule
  /// What becomes of integers that the type cannot hold, after each update.
  public var overflow = IntegerOverflow.wraps

  /// A writing of slices.
  public init(mode: ScatterMode = .update, rule: IndexRule = .fromEnd) {
    self.mode = mode
    self.rule = rule
  }

  /// Whole numbers too.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let slices = try SliceIndices(data: inputs[0].shape, indices: inputs[1].shape)
    try requireUpdates(inputs[2].shape, slices.gathered)
    return [inputs[0].type]
  }

  public func forEachUpdate(
    of data: Shape, at indices: ReferenceTensor, _ updates: Shape,
    _ body: (_ target: Int, _ update: Int) -> Void
  ) throws {
    let slices = try SliceIndices(data: data, indices: indices.shape)
    let size: Int = slices.slice.count
    for (position, start) in try slices.starts(indices, in: data, rule).enumerated() {
      guard let start else { continue }
      for element in 0..<size { body(start + element, position * size + element) }
    }
  }
}
