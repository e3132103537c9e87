import Graph
import Operators

/// A product of rows with a matrix, and the steps of an epilogue.
///
/// - Inputs: those of ``BatchedMatMulOperator`` with `multipliesRows`, then those of the steps.
/// - Output: `[…, X2]`, as `float32`.
/// - Errors: those of the product; an input of a step has another shape.
///
/// Only passes add this operator to a graph. No model file contains it.
public struct FusedProduct: Operator {
  public static let declaration = OperatorDeclaration(
    "FusedProduct", summary: "a product of rows with a matrix, and the operators after it")

  /// The product itself.
  public var core: BatchedMatMulOperator
  /// The steps that are applied to the result: a residual, functions, roundings.
  public var epilogue: [Epilogue]

  /// Creates a product with an epilogue.
  public init(_ core: BatchedMatMulOperator, _ epilogue: [Epilogue]) {
    self.core = core
    self.epilogue = epilogue
  }

  /// The name of the product.
  public var name: String { core.name }

  /// The number of inputs that the product itself reads, which come first, if all together are `count`.
  func coreInputCount(of count: Int) -> Int { count - epilogue.inputCount }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let own: Int = coreInputCount(of: inputs.count)
    guard own >= 2 else {
      throw EngineError(
        .invalidModel,
        "the layer has \(inputs.count) inputs, expected at least \(2 + epilogue.inputCount).")
    }
    guard let types = try core.outputTypes(for: Array(inputs[..<own])) else { return nil }
    try epilogue.require(inputs[own...], fit: types[0].shape)
    return types
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let own: Int = coreInputCount(of: inputs.count)
    return [try epilogue.reference(core.reference(Array(inputs[..<own]))[0], inputs[own...])]
  }
}
