import Graph

/// Gives a tensor a shape that the model states, with the values in the same row-major order.
///
/// - Input: any tensor with as many values as the target.
/// - One target size may be −1. The operator computes it from the other sizes.
/// - A target size of 0 keeps the input's extent at the same index. The index counts from the first axis. If
///   ``zerosCountFromEnd`` is set, it counts from the last axis.
///
/// **Source:** `ReshapeStaticLayerParams`.
public struct ReshapeStaticOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "ReshapeStatic",
    summary: "changes the shape to one that the model states")

  /// The target sizes. One may be −1, and 0 keeps the input's extent.
  public let targetShape: [Int]

  /// Whether the index of a 0 counts from the last axis. In that case a 0 becomes 1 if the input has no axis at this
  /// index.
  public let zerosCountFromEnd: Bool

  /// Creates a reshape to these sizes.
  public init(targetShape: [Int], zerosCountFromEnd: Bool = false) {
    self.targetShape = targetShape
    self.zerosCountFromEnd = zerosCountFromEnd
  }

  private func shape(_ input: Shape) throws -> Shape {
    try reshapedShape(
      input, to: targetShape, zeroKeeps: input.count != 0, fromEnd: zerosCountFromEnd)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try shape(inputs[0].shape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [inputs[0].reshaped(to: try shape(inputs[0].shape))]
  }
}
