import Graph

/// Takes the slices that a list of indices names: `y[…, i, …] = x[…, indices[i], …]`, as `numpy.take`.
///
/// - Inputs: any tensor that has the axis, and indices of any shape; negative ones count from the end.
/// - Output: the axis is replaced by the axes of the indices.
/// - Error: an index that does not exist.
///
/// **Source:** `GatherLayerParams`.
public struct GatherOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Gather", summary: "takes the slices that indices name")

  /// The axis; negative counts from the end.
  public let axis: Int

  /// A taking of slices of an axis.
  public init(axis: Int) { self.axis = axis }

  private func shape(_ data: Shape, _ indices: Shape) throws -> Shape {
    let axis: Int = try data.axis(axis)
    var dimensions: [Int] = data.dimensions
    dimensions.replaceSubrange(axis...axis, with: indices.dimensions)
    return try Shape.checked(dimensions)
  }

  /// The second input holds indices.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try shape(inputs[0].shape, inputs[1].shape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (data, indices) = (inputs[0], inputs[1])
    let axis: Int = try data.shape.axis(axis)
    let rank: Int = indices.shape.rank
    return [
      try ReferenceTensor(try shape(data.shape, indices.shape)) { index in
        let named: Double = indices[Array(index[axis..<axis + rank])]
        var source = index
        source.replaceSubrange(
          axis..<axis + rank, with: [try place(named, of: data.shape[axis], axis: axis)])
        return data[source]
      }
    ]
  }
}
