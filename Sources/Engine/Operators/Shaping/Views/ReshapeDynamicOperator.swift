import Graph

/// Reads the values under a shape that is computed: row-major order stays.
///
/// - Inputs: any tensor, and the sizes as a vector; one may be −1 (the rest), and a zero keeps the
///   input's size at the same place, counted from the first axis or from the last.
///
/// **Source:** `ReshapeDynamicLayerParams`.
public struct ReshapeDynamicOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "ReshapeDynamic",
    summary: "reads the values under a shape that is computed")

  /// Whether a zero keeps the size at the same place from the end, 1 where there is none.
  public let zerosCountFromEnd: Bool

  /// A reshape to the sizes in the second input.
  public init(zerosCountFromEnd: Bool = false) { self.zerosCountFromEnd = zerosCountFromEnd }

  private func shape(_ input: Shape, _ sizes: [Int]) throws -> Shape {
    try reshapedShape(
      input, to: sizes, zeroKeeps: input.count != 0, fromEnd: zerosCountFromEnd)
  }

  /// The second input says where, and is not moved.
  public func moves(input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let sizes = inputs[1].integers else { return nil }
    return [inputs[0].type.reshaped(to: try shape(inputs[0].shape, sizes))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [inputs[0].reshaped(to: try shape(inputs[0].shape, inputs[1].integers))]
  }
}
