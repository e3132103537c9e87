import Graph

/// Writes slices to the places that index vectors name: `y = x; y[indices[i], …] ∘= updates[i, …]`, in
/// the order of the updates.
///
/// - Inputs: any tensor, indices `[…, L]` with L at most its rank (negative ones count from the end),
///   and updates of the shape that ``GatherNDOperator`` would give.
/// - Output: the shape of the first input.
/// - Error: an index that does not exist.
///
/// **Source:** `ScatterNDLayerParams`.
public struct ScatterNDOperator: ScatteringOperator {
  public static let declaration = OperatorDeclaration(
    "ScatterND", summary: "writes slices to the places that index vectors name")

  /// What an update does to the value that is there.
  public let mode: ScatterMode

  /// A writing of slices.
  public init(mode: ScatterMode = .update) { self.mode = mode }

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
    for (position, start) in try slices.starts(indices, in: data).enumerated() {
      for element in 0..<size { body(start + element, position * size + element) }
    }
  }
}
