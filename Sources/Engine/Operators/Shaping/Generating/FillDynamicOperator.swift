import Graph

/// Makes a tensor that has the shape in the input, a vector, and one value everywhere.
///
/// - Input: the output's shape as a vector.
///
/// **Source:** `FillDynamicLayerParams`.
public struct FillDynamicOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "FillDynamic",
    summary: "makes a tensor of a computed shape that holds one value")

  /// The value of all elements.
  public let value: Float

  /// Creates an operator that makes a tensor filled with one value.
  public init(value: Float) { self.value = value }

  /// The input, which holds the shape, may hold integers or floating-point numbers.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let sizes = inputs[0].integers else { return nil }
    return [TensorType(try Shape.checked(sizes))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(try Shape.checked(inputs[0].integers), repeating: Double(value))]
  }
}
