import Graph

/// Reads the values under a shape from the model: row-major order stays.
///
/// - Input: any tensor; its count must be that of the target.
/// - One target size may be −1: the rest. A zero keeps the input's size at the same place, counted from the
///   first axis or from the last.
///
/// **Source:** `ReshapeStaticLayerParams`.
public struct ReshapeStaticOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "ReshapeStatic",
    summary: "reads the values under a shape from the model")

  /// The sizes; one may be −1.
  public let targetShape: [Int]

  /// Whether a zero keeps the size at the same place from the end, 1 where there is none.
  public let zerosCountFromEnd: Bool

  /// A reshape to the given sizes.
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
