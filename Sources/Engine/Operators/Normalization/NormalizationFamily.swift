import Graph

extension OperatorFamily {
  /// Operators that scale and shift their input by learned numbers or by the input's statistics.
  public static let normalization = OperatorFamily(
    "Normalization",
    [
      BatchNormOperator.self, ScaleOperator.self, BiasOperator.self,
      MeanVarianceNormalizeOperator.self,
      L2NormalizeOperator.self, LocalResponseNormalizationOperator.self, SoftmaxOperator.self,
      SoftmaxNDOperator.self, LayerNormalizationOperator.self, BatchNormGradientOperator.self,
    ])
}
