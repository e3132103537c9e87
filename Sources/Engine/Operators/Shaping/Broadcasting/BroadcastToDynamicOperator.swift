import Graph

/// Repeats a tensor along axes of extent one until it has the shape that the second input holds.
///
/// - Inputs: any tensor, and the output's shape as a vector, which another operator may have computed.
/// - The shapes of input and output are aligned at the last axis. Each extent of the input must be equal to the
///   output's extent or be one.
///
/// **Source:** `BroadcastToDynamicLayerParams`.
public struct BroadcastToDynamicOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "BroadcastToDynamic",
    summary: "repeats a tensor along axes of extent one to a computed shape")

  /// Creates a broadcast to the shape in the second input.
  public init() {}

  /// Returns false for the second input, which holds the shape.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let sizes = inputs[1].integers else { return nil }
    return [inputs[0].type.reshaped(to: try broadcastShape(inputs[0].shape, to: sizes))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [stretched(inputs[0], to: try broadcastShape(inputs[0].shape, to: inputs[1].integers))]
  }
}
