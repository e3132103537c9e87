import Graph

/// Copies its input to another name: `y = x`. If a value with that name already exists, later nodes read the copy
/// instead. Loops update their counters this way.
///
/// - Input: any tensor. Output: the same tensor.
public struct CopyOperator: ElementwiseOperator, MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Copy", summary: "copies its input to another name")

  /// Creates a copy.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? { [inputs[0].type] }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] { inputs }
}
