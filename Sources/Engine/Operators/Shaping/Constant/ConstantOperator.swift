import Graph

/// Gives a constant: `y = x`.
///
/// A graph holds constants as values, and needs no operator for them. This one stands where it matters
/// when a value is made: in a nested network, which gives back what stood under a name when it was left.
///
/// - Input: the constant, of any type and shape. Output: the same.
///
/// **Source:** `LoadConstantLayerParams` and `LoadConstantNDLayerParams`.
public struct ConstantOperator: MovingOperator {
  public static let declaration = OperatorDeclaration("Constant", summary: "gives a constant")

  /// An operator that gives its input.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? { [inputs[0].type] }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] { inputs }
}
