import Graph

/// Takes the slices that a list of indices names: `y[…, i, …] = x[…, indices[i], …]`, as `numpy.take`.
///
/// - Inputs: any tensor that has the axis, and indices of any shape; negative ones count from the end.
/// - Output: the axis is replaced by the axes of the indices. Leading axes that both have in common, a batch,
///   stand in it once: `y[b, …, i, …] = x[b, …, indices[b, i], …]`.
/// - Error: an index that does not exist, unless the rule says otherwise.
///
/// **Source:** `GatherLayerParams`.
public struct GatherOperator: MovingOperator, RowOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "Gather", summary: "takes the slices that indices name")

  /// The axis; negative counts from the end.
  public let axis: Int
  /// The leading axes that indices and data have in common.
  public let batchAxes: Int
  /// What an index may be.
  public let rule: IndexRule

  /// A taking of slices of an axis.
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

  /// The second input holds indices.
  public func moves(input: Int) -> Bool { input == 0 }

  package func rowAction(ofRank rank: Int) -> RowAction? {
    batchAxes == 0 && (axis == 0 || axis == -rank) ? .read : nil
  }

  package func row(named index: Int, of count: Int) throws -> Int? {
    try rule.place(Double(index), of: count, axis: 0)
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
        guard let place = try rule.place(named, of: data.shape[axis], axis: axis) else { return 0 }
        var source = index
        source.replaceSubrange(axis..<axis + rank, with: [place])
        return data[source]
      }
    ]
  }
}
