import Graph

/// Gives its input another name: `y = x`. The name may exist already and then means the copy to what
/// comes after; loops count this way.
///
/// - Input: any tensor. Output: the same tensor.
public struct CopyOperator: ElementwiseOperator, MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Copy", summary: "gives its input another name")

  /// A copy.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? { [inputs[0].type] }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] { inputs }
}
