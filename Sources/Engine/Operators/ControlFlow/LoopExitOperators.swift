import Graph

/// Leaves the loop around it at once; what was written before stays.
///
/// No inputs and no outputs. Stands in the body of a loop, or in a branch there.
public struct LoopBreakOperator: ControlOperator {
  public static let declaration = OperatorDeclaration(
    "LoopBreak", summary: "leaves the loop around it")

  /// A way out.
  public init() {}

  public var rule: ControlRule { .leave(.breaksLoop) }
}

/// Ends this round of the loop around it; what was written before stays.
///
/// No inputs and no outputs. Stands in the body of a loop, or in a branch there.
public struct LoopContinueOperator: ControlOperator {
  public static let declaration = OperatorDeclaration(
    "LoopContinue", summary: "goes on with the loop's next round")

  /// A way to the next round.
  public init() {}

  public var rule: ControlRule { .leave(.continuesLoop) }
}
