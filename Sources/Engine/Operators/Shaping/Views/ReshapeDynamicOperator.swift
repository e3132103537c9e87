import Graph

/// Gives a tensor the shape that the second input holds, with the values in the same row-major order.
///
/// - Inputs: any tensor, and the target sizes as a vector.
/// - One target size may be −1. The operator computes it from the other sizes.
/// - A target size of 0 keeps the input's extent at the same index. The index counts from the first axis. If
///   ``zerosCountFromEnd`` is set, it counts from the last axis.
///
/// **Source:** `ReshapeDynamicLayerParams`.
public struct ReshapeDynamicOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "ReshapeDynamic",
    summary: "reads the values as a computed shape")

  /// Whether the index of a 0 counts from the last axis. In that case a 0 becomes 1 if the input has no axis at this
  /// index.
  public let zerosCountFromEnd: Bool

  /// Creates a reshape to the sizes in the second input.
  public init(zerosCountFromEnd: Bool = false) { self.zerosCountFromEnd = zerosCountFromEnd }

  private func shape(_ input: Shape, _ sizes: [Int]) throws -> Shape {
    try reshapedShape(
      input, to: sizes, zeroKeeps: input.count != 0, fromEnd: zerosCountFromEnd)
  }

  /// Returns false for the second input, which holds the shape.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let sizes = inputs[1].integers else { return nil }
    return [inputs[0].type.reshaped(to: try shape(inputs[0].shape, sizes))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [inputs[0].reshaped(to: try shape(inputs[0].shape, inputs[1].integers))]
  }
}
