import Graph

/// Makes a tensor that has the input's shape and one value everywhere.
///
/// - Input: any tensor; its values are not read.
///
/// **Source:** `FillLikeLayerParams`.
public struct FillLikeOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "FillLike",
    summary: "makes a tensor of the input's shape that holds one value")

  /// The value of all elements.
  public let value: Float

  /// Creates an operator that makes a tensor filled with one value.
  public init(value: Float) { self.value = value }

  /// The input may have any element type, because its values are not read.
  public static let elementTypes: ElementTypes = .all

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType(inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(inputs[0].shape, repeating: Double(value))]
  }
}
