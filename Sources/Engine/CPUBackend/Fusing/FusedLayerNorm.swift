import Graph
import Operators

/// A layer norm whose results are rounded to float16.
///
/// - Inputs and output: those of ``LayerNormalizationOperator``.
///
/// Only passes add this operator to a graph. No model file contains it.
public struct FusedLayerNorm: Operator {
  public static let declaration = OperatorDeclaration(
    "FusedLayerNorm", summary: "a layer norm, and a rounding to float16")

  /// The norm itself.
  public var core: LayerNormalizationOperator

  /// Creates a layer norm whose results are rounded.
  public init(_ core: LayerNormalizationOperator) { self.core = core }

  /// The name of the norm.
  public var name: String { core.name }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try core.outputTypes(for: inputs)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try RoundOperator(to: .float16).reference(core.reference(inputs))
  }
}
