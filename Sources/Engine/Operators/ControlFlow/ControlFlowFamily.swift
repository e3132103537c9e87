import Graph

extension OperatorFamily {
  /// Layers that decide which layers run, and copies that overwrite what they decide by.
  public static let controlFlow = OperatorFamily(
    "ControlFlow",
    [
      CopyOperator.self, BranchOperator.self, LoopOperator.self, LoopBreakOperator.self,
      LoopContinueOperator.self,
    ])
}
