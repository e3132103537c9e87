import Graph

/// Repeats a tensor along axes of extent one until it has the shape of a second one.
///
/// - Inputs: any tensor, and one of the output's shape, whose values are not read.
/// - Sizes are aligned at the last axis and must agree or be one in the input.
///
/// **Source:** `BroadcastToLikeLayerParams`.
public struct BroadcastToLikeOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "BroadcastToLike",
    summary: "repeats a tensor along axes of extent one to another's shape")

  /// A stretching to the second input's shape.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [
      inputs[0].type.reshaped(
        to: try stretchedShape(inputs[0].shape, to: inputs[1].shape.dimensions))
    ]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [stretched(inputs[0], to: try stretchedShape(inputs[0].shape, to: inputs[1].shape.dimensions))]
  }
}
