import Graph
import Operators

extension [LayerReader] {
  /// Layers that shift and scale their input by learned numbers, or by the mean and the variance of the input itself.
  package static let normalization: [LayerReader] = [
    LayerReader("batchnorm", BatchNormOperator.self, decode: BatchNormOperator.decode),
    LayerReader("scale", ScaleOperator.self, decode: ScaleOperator.decode),
    LayerReader("bias", BiasOperator.self, decode: BiasOperator.decode),
    LayerReader("mvn") { try MeanVarianceNormalizeOperator(decoding: $0) },
    LayerReader("l2normalize") { try L2NormalizeOperator(decoding: $0) },
    LayerReader("lrn") { try LocalResponseNormalizationOperator(decoding: $0) },
    LayerReader("softmax") { decoder in
      try decoder.requireInputs(1...1)
      return SoftmaxOperator()
    },
    LayerReader("softmaxND") { try SoftmaxNDOperator(decoding: $0) },
    LayerReader(
      "layerNormalization", LayerNormalizationOperator.self,
      decode: LayerNormalizationOperator.decode),
  ]
}
