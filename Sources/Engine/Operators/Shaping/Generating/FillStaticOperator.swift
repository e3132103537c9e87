import Graph

/// Makes a tensor of a given shape that holds one value.
///
/// - Inputs: none.
///
/// **Source:** `FillStaticLayerParams`.
public struct FillStaticOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "FillStatic", summary: "makes a tensor that holds one value")

  /// The value everywhere.
  public let value: Float
  /// The sizes of the output.
  public let targetShape: [Int]

  /// A tensor of the given sizes.
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
