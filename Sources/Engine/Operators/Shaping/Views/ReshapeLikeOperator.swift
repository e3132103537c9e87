import Graph

/// Reads the values under the shape of a second tensor: row-major order stays.
///
/// - Inputs: any tensor, and one of as many values, whose own values are not read.
///
/// **Source:** `ReshapeLikeLayerParams`.
public struct ReshapeLikeOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "ReshapeLike",
    summary: "reads the values under the shape of another tensor")

  /// A reshape to the second input's shape.
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
