import Graph

extension OperatorFamily {
  /// Operators that read and write at places which other tensors name, or look for such places.
  public static let gathering = OperatorFamily(
    "Gathering",
    [
      GatherOperator.self, GatherNDOperator.self, GatherAlongAxisOperator.self,
      ScatterOperator.self, ScatterNDOperator.self, ScatterAlongAxisOperator.self,
      OneHotOperator.self, WhereNonZeroOperator.self, WhereBroadcastableOperator.self,
      NonMaximumSuppressionOperator.self, ListWriteOperator.self,
    ])
}
