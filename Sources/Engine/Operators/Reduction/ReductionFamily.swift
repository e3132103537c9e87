import Graph

extension OperatorFamily {
  /// Operators that reduce, search, sort or sum along axes.
  public static let reduction = OperatorFamily(
    "Reduction",
    [
      ReduceOperator.self, ReduceAxesOperator.self, ArgSortOperator.self, TopKOperator.self,
      CumSumOperator.self,
    ])
}
