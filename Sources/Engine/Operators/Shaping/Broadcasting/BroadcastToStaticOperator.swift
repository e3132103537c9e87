import Graph

/// Repeats a tensor along axes of extent one until it has a shape that the model states.
///
/// - Input: any tensor.
/// - The shapes of input and output are aligned at the last axis. Each extent of the input must be equal to the
///   output's extent or be one.
///
/// **Source:** `BroadcastToStaticLayerParams`.
public struct BroadcastToStaticOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "BroadcastToStatic",
    summary: "repeats a tensor along axes of extent one to a given shape")

  /// The shape of the output.
  public let targetShape: [Int]

  /// Creates a broadcast to this shape.
  public init(targetShape: [Int]) { self.targetShape = targetShape }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try broadcastShape(inputs[0].shape, to: targetShape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [stretched(inputs[0], to: try broadcastShape(inputs[0].shape, to: targetShape))]
  }
}
