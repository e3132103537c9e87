import Graph

/// Writes one slice for each index vector: `y = x; y[indices[i], …] ∘= updates[i, …]`, in the order of the updates.
/// ``mode`` determines the operation `∘`.
///
/// - Inputs: any tensor; index vectors of length L, as a tensor `[…, L]`; and updates of the shape that
///   ``GatherNDOperator`` would return. L is at most the first input's rank. Negative indices count from the end.
/// - Output: the shape of the first input.
/// - Error: an index out of range, unless ``rule`` allows it.
///
/// **Source:** `ScatterNDLayerParams`.
public struct ScatterNDOperator: ScatteringOperator {
  public static let declaration = OperatorDeclaration(
    "ScatterND", summary: "writes slices at the indices that index vectors name")

  /// How an update is combined with the current value.
  public let mode: ScatterMode
  /// The rule that decides which indices are valid and what happens for an invalid index.
  public let rule: IndexRule
  /// Whether an integer result that overflows the element type wraps around or saturates.
  public var overflow = IntegerOverflow.wraps

  /// Creates an operator that scatters slices by index vectors.
  public init(mode: ScatterMode = .update, rule: IndexRule = .fromEnd) {
    self.mode = mode
    self.rule = rule
  }

  /// Integers and floating-point numbers.
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
