import Graph

/// Repeats a tensor along axes of extent one until it has the shape that the model names.
///
/// - Input: any tensor.
/// - Sizes are aligned at the last axis and must agree or be one in the input.
///
/// **Source:** `BroadcastToStaticLayerParams`.
public struct BroadcastToStaticOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "BroadcastToStatic",
    summary: "repeats a tensor along axes of extent one to a given shape")

  /// The sizes of the output.
  public let targetShape: [Int]

  /// A stretching to the given sizes.
  public init(targetShape: [Int]) { self.targetShape = targetShape }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try stretchedShape(inputs[0].shape, to: targetShape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [stretched(inputs[0], to: try stretchedShape(inputs[0].shape, to: targetShape))]
  }
}
