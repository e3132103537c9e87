import Graph
import Operators

/// A product of rows with a matrix, and a function that is applied to each element of the result.
///
/// - Inputs and errors: those of ``BatchedMatMulOperator`` with `multipliesRows`.
/// - Output: `[…, X2]`, as `float32`.
///
/// Only passes add this operator to a graph. No model file contains it.
public struct FusedProduct: Operator {
  public static let declaration = OperatorDeclaration(
    "FusedProduct", summary: "a product of rows with a matrix, and a function of its elements")

  /// The product itself.
  public var core: BatchedMatMulOperator
  /// The function: an activation, a GELU or a swish.
  public var epilogue: Epilogue

  /// Creates a product with a function.
  public init(_ core: BatchedMatMulOperator, _ epilogue: Epilogue) {
    self.core = core
    self.epilogue = epilogue
  }

  /// The name of the product.
  public var name: String { core.name }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try core.outputTypes(for: inputs)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try [epilogue].reference(core.reference(inputs)[0], [])]
  }
}
