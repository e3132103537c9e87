import NeuralNetworkFormat
import Graph
import ModelFormat

extension OperatorCatalog {
  /// The samples of a kind of layer: all of its operator, or, where that is read from several fields, those
  /// whose message is of this one.
  package func samples(of layer: ReadableLayer) -> [OperatorSample] {
    let samples: [OperatorSample] = (layer.type as? any SampledOperator.Type)?.samples ?? []
    guard fields(of: layer.type).count > 1 else { return samples }
    return samples.filter { $0.layer.layer?.fieldName == layer.field }
  }
}
