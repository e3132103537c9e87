import Graph

/// Takes the slices that index vectors name: `y[i, …] = x[indices[i], …]`, where an index fixes as many
/// leading axes as it has numbers.
///
/// - Inputs: any tensor, and indices `[…, L]` of rank one or more with L at most the tensor's rank;
///   negative ones count from the end.
/// - Output: the leading axes of the indices, then the axes that they leave; a vector of one element
///   where nothing is left. Leading axes that both have in common, a batch, stand in it once.
/// - Error: an index that does not exist, unless the rule says otherwise.
///
/// **Source:** `GatherNDLayerParams`.
public struct GatherNDOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "GatherND", summary: "takes the slices that index vectors name")

  /// The leading axes that indices and data have in common.
  public let batchAxes: Int
  /// What an index may be.
  public let rule: IndexRule

  /// A taking of slices.
  public init(batchAxes: Int = 0, rule: IndexRule = .fromEnd) {
    self.batchAxes = batchAxes
    self.rule = rule
  }

  private func slices(_ data: Shape, _ indices: Shape) throws -> SliceIndices {
    try SliceIndices(data: data, indices: indices, batchAxes: batchAxes)
  }

  /// The second input holds indices.
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
