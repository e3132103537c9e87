import Graph

/// Repeats a tensor along axes of extent one until it has the shape of the second input.
///
/// - Inputs: any tensor, and a tensor with the output's shape. The second tensor's values are not read.
/// - The shapes of input and output are aligned at the last axis. Each extent of the input must be equal to the
///   output's extent or be one.
///
/// **Source:** `BroadcastToLikeLayerParams`.
public struct BroadcastToLikeOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "BroadcastToLike",
    summary: "repeats a tensor along axes of extent one to another's shape")

  /// Creates a broadcast to the second input's shape.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [
      inputs[0].type.reshaped(
        to: try broadcastShape(inputs[0].shape, to: inputs[1].shape.dimensions))
    ]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [stretched(inputs[0], to: try broadcastShape(inputs[0].shape, to: inputs[1].shape.dimensions))]
  }
}
