import Graph

/// Returns its input, a constant: `y = x`.
///
/// A graph holds constants as values and mostly needs no operator for them. Nested graphs of a model file are an
/// exception. Several layers of a nested graph may assign values to the same name, one after the other, and the last
/// assignment gives the result. In such a graph, this operator assigns a constant to a name at the right position among
/// the layers.
///
/// - Input: the constant, of any type and shape. Output: the input, unchanged.
///
/// **Source:** `LoadConstantLayerParams` and `LoadConstantNDLayerParams`.
public struct ConstantOperator: MovingOperator {
  public static let declaration = OperatorDeclaration("Constant", summary: "returns a constant")

  /// Creates an operator that returns its input.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? { [inputs[0].type] }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] { inputs }
}
