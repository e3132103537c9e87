import Graph

extension OperatorFamily {
  /// Operators that read or write at indices given by other tensors, or search for indices.
  public static let gathering = OperatorFamily(
    "Gathering",
    [
      GatherOperator.self, GatherNDOperator.self, GatherAlongAxisOperator.self,
      GatherGradientOperator.self,
      ScatterOperator.self, ScatterNDOperator.self, ScatterAlongAxisOperator.self,
      OneHotOperator.self, WhereNonZeroOperator.self, WhereBroadcastableOperator.self,
      NonMaximumSuppressionOperator.self, ListWriteOperator.self,
    ])
}
