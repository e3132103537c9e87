import Graph

/// Runs a subgraph repeatedly.
///
///     iterations = 0
///     while condition() is true and iterations < limit { body(); iterations += 1 }
///
/// Condition and body are subgraphs. Both read and write values of the surrounding graph by name. A ``CopyOperator``
/// with an existing name as its output carries a value into the next iteration. The condition is true if the magnitude
/// of the number that its subgraph computes is more than 10⁻⁶.
///
/// - Input: none, or one number: the greatest number of iterations. This number replaces the model's
///   `maxLoopIterations`. No outputs.
/// - Defaults: without a condition subgraph, only the number of iterations ends the loop. Without an input and with
///   `maxLoopIterations` 0, only the condition ends the loop. A condition subgraph without layers, which coremltools
///   may write, counts as no condition subgraph.
/// - Throws: if neither a condition nor a number of iterations ends the loop; if the condition subgraph does not
///   compute `conditionVar`; if the loop needs more iterations than `ExecutionOptions.loopLimit`.
public struct LoopOperator: ControlOperator {
  public static let declaration = OperatorDeclaration(
    "Loop", summary: "runs a subgraph repeatedly")

  /// States the model's limit on the number of iterations, whether the loop has a condition subgraph, and whether the
  /// loop has an input that replaces the limit.
  public let loop: LoopRule

  /// Creates a loop.
  public init(_ loop: LoopRule) { self.loop = loop }

  public var rule: ControlRule { .loop(loop) }
}
