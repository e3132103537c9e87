import Graph

/// Gives a tensor the shape of a second tensor, with the values in the same row-major order.
///
/// - Inputs: any tensor, and a tensor with the same number of values. The second tensor's values are not read.
///
/// **Source:** `ReshapeLikeLayerParams`.
public struct ReshapeLikeOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "ReshapeLike",
    summary: "reads the values as the shape of another tensor")

  /// Creates a reshape to the second input's shape.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try reshapedShape(
      inputs[0].shape, to: inputs[1].shape.dimensions, zeroKeeps: false)
    return [inputs[0].type.reshaped(to: shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [inputs[0].reshaped(to: inputs[1].shape)]
  }
}
