import Graph

/// Takes one slice for each index vector: `y[i, …] = x[indices[i], …]`. The components of an index vector are indices
/// into the leading axes of `x`.
///
/// - Inputs: any tensor, and index vectors of length L, as a tensor `[…, L]` of rank one or more. L is at most the
///   first input's rank. Negative indices count from the end.
/// - Output: the axes of the second input without the last one, followed by the axes of the first input that no
///   component indexes. If no axis is left, the output is `[1]`. Batch axes, which both inputs share, occur once in the
///   output.
/// - Error: an index out of range, unless ``rule`` allows it.
///
/// **Source:** `GatherNDLayerParams`.
public struct GatherNDOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "GatherND", summary: "takes the slices that index vectors name")

  /// The number of batch axes: the leading axes that both inputs share.
  public let batchAxes: Int
  /// The rule that decides which indices are valid and what happens for an invalid index.
  public let rule: IndexRule

  /// Creates an operator that gathers slices by index vectors.
  public init(batchAxes: Int = 0, rule: IndexRule = .fromEnd) {
    self.batchAxes = batchAxes
    self.rule = rule
  }

  private func slices(_ data: Shape, _ indices: Shape) throws -> SliceIndices {
    try SliceIndices(data: data, indices: indices, batchAxes: batchAxes)
  }

  /// Returns false for the second input, which holds indices.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let slices = try slices(inputs[0].shape, inputs[1].shape)
    return [inputs[0].type.reshaped(to: try Shape.checked(slices.gathered.dimensions))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (data, indices) = (inputs[0], inputs[1])
    let slices = try slices(data.shape, indices.shape)
    let size: Int = slices.slice.count
    let zeros = [Double](repeating: 0, count: size)
    var values: [Double] = []
    for start in try slices.starts(indices, in: data.shape, rule) {
      values += start.map { data.values[$0..<$0 + size] } ?? zeros[...]
    }
    return [ReferenceTensor(slices.gathered, values)]
  }
}
