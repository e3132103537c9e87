import Graph

/// Makes a tensor of the input's shape that holds one value.
///
/// - Input: any tensor, whose values are not read.
///
/// **Source:** `FillLikeLayerParams`.
public struct FillLikeOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "FillLike",
    summary: "makes a tensor of the input's shape that holds one value")

  /// The value everywhere.
  public let value: Float

  /// A tensor that holds one value.
  public init(value: Float) { self.value = value }

  /// Values are not read.
  public static let elementTypes: ElementTypes = .all

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType(inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(inputs[0].shape, repeating: Double(value))]
  }
}
