import Graph

extension OperatorFamily {
  /// Operators that decide which nodes run, and the copy operator. Loops update their counters and conditions with
  /// copies.
  public static let controlFlow = OperatorFamily(
    "ControlFlow",
    [
      CopyOperator.self, BranchOperator.self, LoopOperator.self, LoopBreakOperator.self,
      LoopContinueOperator.self,
    ])
}
