import Engine

extension LayerFamily {
  /// Layers that draw numbers.
  public static let random = LayerFamily(
    "Random",
    [
      RandomLayer<NormalDistribution, LikeShape>.self,
      RandomLayer<NormalDistribution, StaticShape>.self,
      RandomLayer<NormalDistribution, DynamicShape>.self,
      RandomLayer<UniformDistribution, LikeShape>.self,
      RandomLayer<UniformDistribution, StaticShape>.self,
      RandomLayer<UniformDistribution, DynamicShape>.self,
      RandomLayer<BernoulliDistribution, LikeShape>.self,
      RandomLayer<BernoulliDistribution, StaticShape>.self,
      RandomLayer<BernoulliDistribution, DynamicShape>.self,
      CategoricalDistributionLayer.self,
    ])
}
