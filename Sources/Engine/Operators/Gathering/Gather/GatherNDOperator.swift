import Graph

/// Takes the slices that index vectors name: `y[i, …] = x[indices[i], …]`, where an index fixes as many
/// leading axes as it has numbers.
///
/// - Inputs: any tensor, and indices `[…, L]` of rank one or more with L at most the tensor's rank;
///   negative ones count from the end.
/// - Output: the leading axes of the indices, then the axes that they leave; a vector of one element
///   where nothing is left.
/// - Error: an index that does not exist.
///
/// **Source:** `GatherNDLayerParams`.
public struct GatherNDOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "GatherND", summary: "takes the slices that index vectors name")

  /// A taking of slices.
  public init() {}

  /// The second input holds indices.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let slices = try SliceIndices(data: inputs[0].shape, indices: inputs[1].shape)
    return [inputs[0].type.reshaped(to: try Shape.checked(slices.gathered.dimensions))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (data, indices) = (inputs[0], inputs[1])
    let slices = try SliceIndices(data: data.shape, indices: indices.shape)
    let size: Int = slices.slice.count
    var values: [Double] = []
    for start in try slices.starts(indices, in: data.shape) {
      values += data.values[start..<start + size]
    }
    return [ReferenceTensor(slices.gathered, values)]
  }
}
