import Engine

extension LayerFamily {
  /// Layers that shift and scale: by learned numbers or by the statistics of their input.
  public static let normalization = LayerFamily(
    "Normalization",
    [
      BatchNormLayer.self, ScaleLayer.self, BiasLayer.self, MeanVarianceNormalizeLayer.self,
      L2NormalizeLayer.self, LocalResponseNormalizationLayer.self, SoftmaxLayer.self,
      SoftmaxNDLayer.self, LayerNormalizationLayer.self, BatchNormGradientLayer.self,
    ])
}
