import Graph
import ModelFormat

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
///
/// **Source:** `LoopLayerParams`.
public struct LoopOperator: ControlOperator, Layer {
  public static let declaration = OperatorDeclaration(
    "Loop", specification: "loop", summary: "runs a network again and again")

  /// What ends it.
  public let loop: LoopRule

  /// A loop.
  public init(_ loop: LoopRule) { self.loop = loop }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .loop(let message)? = decoder.message.layer else { throw decoder.notA("loop") }
    try decoder.requireInputs(0...1)
    if message.bodyNetwork == nil { throw decoder.invalid("the loop has no body network.") }
    let hasCondition: Bool = try LoopOperator.hasCondition(message, decoder)
    let countsByInput: Bool = !decoder.message.input.isEmpty
    let count = Int(clamping: message.maxLoopIterations)
    guard hasCondition || countsByInput || count > 0 else {
      throw decoder.invalid(
        "the loop has no condition network, no input and maxLoopIterations 0, so nothing says when it ends."
      )
    }
    loop = LoopRule(
      hasCondition: hasCondition, countsByInput: countsByInput,
      most: count > 0 || !hasCondition ? count : nil)
  }

  private static func hasCondition(_ message: Spec.LoopLayerParams, _ decoder: LayerDecoder) throws
    -> Bool
  {
    let network = message.conditionNetwork ?? Spec.NeuralNetwork()
    if message.conditionVar.isEmpty, network.layers.isEmpty { return false }
    guard !message.conditionVar.isEmpty else {
      throw decoder.invalid(
        "the loop has a condition network but no conditionVar, so its result has no name.")
    }
    return true
  }

  public var rule: ControlRule { .loop(loop) }
}
