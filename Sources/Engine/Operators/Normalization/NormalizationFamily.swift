import Graph

extension OperatorFamily {
  /// Operators that shift and scale: by learned numbers or by the statistics of their input.
  public static let normalization = OperatorFamily(
    "Normalization",
    [
      BatchNormOperator.self, ScaleOperator.self, BiasOperator.self,
      MeanVarianceNormalizeOperator.self,
      L2NormalizeOperator.self, LocalResponseNormalizationOperator.self, SoftmaxOperator.self,
      SoftmaxNDOperator.self, LayerNormalizationOperator.self, BatchNormGradientOperator.self,
    ])
}
