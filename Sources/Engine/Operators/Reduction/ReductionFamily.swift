import Graph

extension OperatorFamily {
  /// Axes folded into one value, searched or summed along.
  public static let reduction = OperatorFamily(
    "Reduction",
    [
      ReduceOperator.self, ReduceAxesOperator.self, ArgSortOperator.self, TopKOperator.self,
      CumSumOperator.self,
    ])
}
