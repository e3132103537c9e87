import Graph

extension OperatorFamily {
  /// Operators that decide which nodes run, and copies that overwrite what they decide by.
  public static let controlFlow = OperatorFamily(
    "ControlFlow",
    [
      CopyOperator.self, BranchOperator.self, LoopOperator.self, LoopBreakOperator.self,
      LoopContinueOperator.self,
    ])
}
