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
public struct LoopOperator: ControlFlowOperator, Layer {
  public static let declaration = OperatorDeclaration(
    "Loop", specification: "loop", summary: "runs a network again and again")

  private struct Condition: Sendable {
    let block: Block
    let name: String
  }

  private let body: Block
  private let condition: Condition?
  /// The most rounds; nil when only the condition ends the loop.
  private let most: Int?
  /// The input that holds the most rounds.
  private let countName: String?
  private let wiring: BlockWiring

  public init(decoding decoder: LayerDecoder) throws {
    guard case .loop(let message)? = decoder.message.layer else { throw decoder.notA("loop") }
    try decoder.requireInputs(0...1)
    guard let network = message.bodyNetwork else {
      throw decoder.invalid("the loop has no body network.")
    }
    condition = try LoopOperator.condition(message, decoder)
    countName = decoder.message.input.first
    let count = Int(clamping: message.maxLoopIterations)
    guard condition != nil || countName != nil || count > 0 else {
      throw decoder.invalid(
        "the loop has no condition network, no input and maxLoopIterations 0, so nothing says when it ends."
      )
    }
    most = count > 0 || condition == nil ? count : nil
    var inner = decoder.network
    inner.isInsideLoop = true
    body = try Block(network, in: inner)
    wiring = BlockWiring(
      [condition?.block].compactMap { $0 } + [body], mayMakeOwn: true)
  }

  private static func condition(_ message: Spec.LoopLayerParams, _ decoder: LayerDecoder) throws
    -> Condition?
  {
    let name: String = message.conditionVar
    let network = message.conditionNetwork ?? Spec.NeuralNetwork()
    if name.isEmpty, network.layers.isEmpty { return nil }
    guard !name.isEmpty else {
      throw decoder.invalid(
        "the loop has a condition network but no conditionVar, so its result has no name.")
    }
    var inner = decoder.network
    inner.isInsideLoop = false
    let block = try Block(network, in: inner)
    guard block.writes.contains(name) else {
      throw decoder.invalid("the condition network does not make the condition '\(name)'.")
    }
    return Condition(block: block, name: name)
  }

  public var blocks: [Block] { [condition?.block].compactMap { $0 } + [body] }
  public var captures: [Block.Capture] { wiring.captures }
  public var writes: [String] { wiring.writes }

  public func execute<Runner: BlockRunner>(
    _ inputs: [Runner.Tensor?], with runner: Runner
  ) throws -> BlockResult<Runner.Tensor> {
    let most = try mostRounds(inputs, with: runner)
    var values = BlockWiring.Values<Runner>(
      wiring, captures: inputs.dropFirst(countName == nil ? 0 : 1))
    var rounds = 0
    while true {
      if let condition {
        _ = try values.run(condition.block, with: runner)
        guard let value = values[condition.name],
          try isTrue(value, "the condition '\(condition.name)'", with: runner)
        else { break }
      }
      if let most, rounds >= most { break }
      guard rounds < runner.loopLimit else {
        throw EngineError(
          .unsupported,
          "the loop has taken \(rounds) rounds and would go on, which looks endless; a higher loopLimit allows more."
        )
      }
      if try values.run(body, with: runner) == .breaksLoop { break }
      rounds += 1
    }
    return BlockResult(values.written)
  }

  private func mostRounds<Runner: BlockRunner>(
    _ inputs: [Runner.Tensor?], with runner: Runner
  ) throws -> Int? {
    guard let countName else { return most }
    guard let first = inputs.first, let tensor = first else {
      throw EngineError(
        .invalidModel,
        "no layer has made its number of rounds '\(countName)' on the way that was taken.")
    }
    guard let number = runner.number(in: tensor), !number.isNaN else {
      throw EngineError(
        .invalidInput, "the number of rounds '\(countName)' is not a number.")
    }
    return Int(max(0, min(number, 1e15)))
  }
}
