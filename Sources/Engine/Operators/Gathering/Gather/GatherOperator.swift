import Graph

/// Takes one slice along an axis for each index: `y[…, i, …] = x[…, indices[i], …]`, like `numpy.take`.
///
/// - Inputs: any tensor that has the axis, and indices of any shape; negative indices count from the end.
/// - Output: the first input's shape, with the axes of the indices instead of ``axis``. Batch axes, which both inputs
///   share, occur once in the output: `y[b, …, i, …] = x[b, …, indices[b, i], …]`.
/// - Error: an index out of range, unless ``rule`` allows it.
///
/// **Source:** `GatherLayerParams`.
public struct GatherOperator: MovingOperator, RowOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "Gather", summary: "takes the slices that indices name")

  /// The axis; a negative axis counts from the end.
  public let axis: Int
  /// The number of batch axes: the leading axes that both inputs share.
  public let batchAxes: Int
  /// The rule that decides which indices are valid and what happens for an invalid index.
  public let rule: IndexRule

  /// Creates an operator that gathers slices along an axis.
  public init(axis: Int, batchAxes: Int = 0, rule: IndexRule = .fromEnd) {
    self.axis = axis
    self.batchAxes = batchAxes
    self.rule = rule
  }

  private func shape(_ data: Shape, _ indices: Shape) throws -> Shape {
    let axis: Int = try data.axis(axis)
    try requireBatch(batchAxes, data: data, indices: indices)
    guard batchAxes <= axis else {
      throw EngineError(
        .invalidInput, "the axis \(axis) is one of the \(batchAxes) axes of the batch.")
    }
    var dimensions: [Int] = data.dimensions
    dimensions.replaceSubrange(axis...axis, with: indices.dimensions.dropFirst(batchAxes))
    return try Shape.checked(dimensions)
  }

  /// Returns false for the second input, which holds indices.
  public func moves(input: Int) -> Bool { input == 0 }

  package func rowAction(ofRank rank: Int) -> RowAction? {
    batchAxes == 0 && (axis == 0 || axis == -rank) ? .read : nil
  }

  package func row(named index: Int, of count: Int) throws -> Int? {
    try rule.resolved(Double(index), of: count, axis: 0)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try shape(inputs[0].shape, inputs[1].shape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (data, indices) = (inputs[0], inputs[1])
    let axis: Int = try data.shape.axis(axis)
    let rank: Int = indices.shape.rank - batchAxes
    return [
      try ReferenceTensor(try shape(data.shape, indices.shape)) { index in
        let named: Double = indices[Array(index[..<batchAxes] + index[axis..<axis + rank])]
        guard let resolved = try rule.resolved(named, of: data.shape[axis], axis: axis) else {
          return 0
        }
        var source = index
        source.replaceSubrange(axis..<axis + rank, with: [resolved])
        return data[source]
      }
    ]
  }
}
