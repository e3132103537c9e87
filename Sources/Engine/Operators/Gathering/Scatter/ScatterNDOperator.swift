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
public struct ScatterNDOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "ScatterND", summary: "writes slices to the places that index vectors name")

  /// What an update does to the value that is there.
  public let mode: ScatterMode
  /// What an index may be.
  public let rule: IndexRule

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

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (indices, updates) = (inputs[1], inputs[2])
    var output = inputs[0]
    let slices = try SliceIndices(data: output.shape, indices: indices.shape)
    let size: Int = slices.slice.count
    for (position, start) in try slices.starts(indices, in: output.shape, rule).enumerated() {
      guard let start else { continue }
      for element in 0..<size {
        output.values[start + element] = mode.combine(
          output.values[start + element], updates.values[position * size + element])
      }
    }
    return [output]
  }
}
