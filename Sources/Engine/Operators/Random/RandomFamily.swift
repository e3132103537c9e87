import Graph

extension OperatorFamily {
  /// Operators that draw random numbers.
  public static let random = OperatorFamily(
    "Random",
    [
      RandomOperator<NormalDistribution, LikeShape>.self,
      RandomOperator<NormalDistribution, StaticShape>.self,
      RandomOperator<NormalDistribution, DynamicShape>.self,
      RandomOperator<UniformDistribution, LikeShape>.self,
      RandomOperator<UniformDistribution, StaticShape>.self,
      RandomOperator<UniformDistribution, DynamicShape>.self,
      RandomOperator<BernoulliDistribution, LikeShape>.self,
      RandomOperator<BernoulliDistribution, StaticShape>.self,
      RandomOperator<BernoulliDistribution, DynamicShape>.self,
      CategoricalDistributionOperator.self,
    ])
}
