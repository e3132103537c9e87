import Graph

extension OperatorFamily {
  /// Axes folded into one value, searched or summed along.
  public static let reduction = OperatorFamily(
    "Reduction",
    [
      ReduceOperator.self, ReduceSumOperator.self, ReduceMeanOperator.self, ReduceProdOperator.self,
      ReduceL1Operator.self, ReduceL2Operator.self, ReduceMaxOperator.self, ReduceMinOperator.self,
      ReduceLogSumOperator.self, ReduceSumSquareOperator.self, ReduceLogSumExpOperator.self,
      ArgMaxOperator.self, ArgMinOperator.self, ArgSortOperator.self, TopKOperator.self, CumSumOperator.self,
    ])
}
