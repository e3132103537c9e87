import Graph

/// Reads the values under a shape from the model: row-major order stays.
///
/// - Input: any tensor; its count must be that of the target.
/// - One target size may be −1: the rest.
///
/// **Source:** `ReshapeStaticLayerParams`.
public struct ReshapeStaticOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "ReshapeStatic",
    summary: "reads the values under a shape from the model")

  /// The sizes; one may be −1.
  public let targetShape: [Int]

  /// A reshape to the given sizes.
  public init(targetShape: [Int]) { self.targetShape = targetShape }

  private func shape(_ input: Shape) throws -> Shape {
    try reshapedShape(input, to: targetShape, zeroKeeps: input.count != 0)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try shape(inputs[0].shape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [inputs[0].reshaped(to: try shape(inputs[0].shape))]
  }
}
