import Graph

/// Makes a tensor of a computed shape that holds one value.
///
/// - Input: the sizes as a vector.
///
/// **Source:** `FillDynamicLayerParams`.
public struct FillDynamicOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "FillDynamic",
    summary: "makes a tensor of a computed shape that holds one value")

  /// The value everywhere.
  public let value: Float

  /// A tensor that holds one value.
  public init(value: Float) { self.value = value }

  /// Sizes may be whole numbers or floats.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let sizes = inputs[0].integers else { return nil }
    return [TensorType(try Shape.checked(sizes))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(try Shape.checked(inputs[0].integers), repeating: Double(value))]
  }
}
