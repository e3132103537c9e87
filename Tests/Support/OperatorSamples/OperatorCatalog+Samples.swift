import CPUBackend
import NeuralNetworkFormat
import Graph
import ModelFormat

extension OperatorCatalog {
  /// All operators that tests run: those of the standard catalogue, and those into which passes fuse others.
  package static let tested: [any Operator.Type] =
    standard.layers + OperatorFamily.fused.layers

  /// Returns the samples of a layer type. Each layer type decodes to an operator. If this layer type is the only one
  /// that decodes to its operator, returns all samples of the operator. Otherwise, returns only the samples whose
  /// message has this layer type.
  package func samples(of layer: ReadableLayer) -> [OperatorSample] {
    let samples: [OperatorSample] = (layer.type as? any SampledOperator.Type)?.samples ?? []
    guard fields(of: layer.type).count > 1 else { return samples }
    return samples.filter { $0.layer.layer?.fieldName == layer.field }
  }
}
