import Graph

/// Leaves the surrounding loop at once. Values that the iteration has already written are not undone.
///
/// No inputs and no outputs. Allowed in the body of a loop, or in a branch inside that body.
public struct LoopBreakOperator: ControlOperator {
  public static let declaration = OperatorDeclaration(
    "LoopBreak", summary: "leaves the surrounding loop")

  /// Creates a break.
  public init() {}

  public var rule: ControlRule { .leave(.breaksLoop) }
}

/// Ends the current iteration of the surrounding loop. Values that this iteration has already written are not undone.
///
/// No inputs and no outputs. Allowed in the body of a loop, or in a branch inside that body.
public struct LoopContinueOperator: ControlOperator {
  public static let declaration = OperatorDeclaration(
    "LoopContinue", summary: "starts the loop's next iteration")

  /// Creates a continue.
  public init() {}

  public var rule: ControlRule { .leave(.continuesLoop) }
}
