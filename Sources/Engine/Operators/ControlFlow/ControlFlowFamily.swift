import Graph

extension OperatorFamily {
  /// Operators that decide which nodes run. Also the copy operator: loops use it to update their counters and
  /// conditions.
  public static let controlFlow = OperatorFamily(
    "ControlFlow",
    [
      CopyOperator.self, BranchOperator.self, LoopOperator.self, LoopBreakOperator.self,
      LoopContinueOperator.self,
    ])
}
