import Graph

/// Makes a tensor that has a shape stated by the model and one value everywhere.
///
/// - Inputs: none.
///
/// **Source:** `FillStaticLayerParams`.
public struct FillStaticOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "FillStatic", summary: "makes a tensor that holds one value")

  /// The value of all elements.
  public let value: Float
  /// The shape of the output.
  public let targetShape: [Int]

  /// Creates an operator that makes a tensor of this shape, filled with one value.
  public init(value: Float, targetShape: [Int]) {
    self.value = value
    self.targetShape = targetShape
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType(try Shape.checked(targetShape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(try Shape.checked(targetShape), repeating: Double(value))]
  }
}
