import Graph

/// Runs a network again and again.
///
///     rounds = 0
///     while rounds < most and condition() is true { body(); rounds += 1 }
///
/// Both networks read and write names of the network around; a copy onto an existing name carries a
/// value into the next round. A condition is true when its magnitude is more than 10⁻⁶.
///
/// - Input: none, or one number: the most rounds, in place of `maxLoopIterations`. No outputs.
/// - Defaults: without a condition network the loop is bounded by the number of rounds alone; without an
///   input and with `maxLoopIterations` 0 by its condition alone. A condition network without layers
///   counts as none (coremltools writes such).
/// - Throws: when neither bounds the loop; when the condition network does not make `conditionVar`;
///   when the loop takes more rounds than `ExecutionOptions.loopLimit`.
public struct LoopOperator: ControlOperator {
  public static let declaration = OperatorDeclaration(
    "Loop", summary: "runs a network again and again")

  /// What ends it.
  public let loop: LoopRule

  /// A loop.
  public init(_ loop: LoopRule) { self.loop = loop }

  public var rule: ControlRule { .loop(loop) }
}
