import Graph

/// Repeats a tensor along axes of extent one until it has a shape that is computed.
///
/// - Inputs: any tensor, and the output's sizes as a vector.
/// - Sizes are aligned at the last axis and must agree or be one in the input.
///
/// **Source:** `BroadcastToDynamicLayerParams`.
public struct BroadcastToDynamicOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "BroadcastToDynamic",
    summary: "repeats a tensor along axes of extent one to a computed shape")

  /// A stretching to the sizes in the second input.
  public init() {}

  /// The second input says where, and is not moved.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let sizes = inputs[1].integers else { return nil }
    return [inputs[0].type.reshaped(to: try stretchedShape(inputs[0].shape, to: sizes))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [stretched(inputs[0], to: try stretchedShape(inputs[0].shape, to: inputs[1].integers))]
  }
}
