import Graph
import ModelFormat
import Operators

extension [LayerReader] {
  /// The readers of copies, branches, loops, `loopBreak` and `loopContinue`. The networks nested in these layers become
  /// regions. ``NeuralNetworkBuilder`` makes the regions.
  package static let controlFlow: [LayerReader] = [
    LayerReader("copy") { try CopyOperator(reading: $0) },
    LayerReader("branch") { try BranchOperator(reading: $0) },
    LayerReader("loop") { try LoopOperator.read($0) },
    LayerReader("loopBreak") { decoder in
      try decoder.requireLoop()
      return LoopBreakOperator()
    },
    LayerReader("loopContinue") { decoder in
      try decoder.requireLoop()
      return LoopContinueOperator()
    },
  ]
}

extension CopyOperator: NeuralNetworkEncodable {
  /// Reads `CopyLayerParams`.
  fileprivate init(reading decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    if decoder.message.input == decoder.message.output {
      throw decoder.invalid(
        "the layer copies '\(decoder.message.input[0])' to itself, expected two names.")
    }
    self.init()
  }

  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .copy(Spec.CopyLayerParams())
  }
}

extension BranchOperator {
  /// Reads `BranchLayerParams`.
  fileprivate init(reading decoder: LayerDecoder) throws {
    guard case .branch(let message)? = decoder.message.layer else {
      throw decoder.notA("branch")
    }
    try decoder.requireInputs(1...1)
    if message.ifBranch == nil {
      throw decoder.invalid("the branch has no network to run when its condition is true.")
    }
    self.init()
  }
}

extension LoopOperator {
  /// Reads `LoopLayerParams`.
  fileprivate static func read(_ decoder: LayerDecoder) throws -> LoopOperator {
    guard case .loop(let message)? = decoder.message.layer else { throw decoder.notA("loop") }
    try decoder.requireInputs(0...1)
    if message.bodyNetwork == nil { throw decoder.invalid("the loop has no body network.") }
    let hasCondition: Bool = try LoopOperator.hasCondition(message, decoder)
    let countsByInput: Bool = !decoder.message.input.isEmpty
    let count = Int(clamping: message.maxLoopIterations)
    guard hasCondition || countsByInput || count > 0 else {
      throw decoder.invalid(
        "the loop has no condition network, no input and maxLoopIterations 0, so it never ends."
      )
    }
    return LoopOperator(
      LoopRule(
        hasCondition: hasCondition, countsByInput: countsByInput,
        most: count > 0 || !hasCondition ? count : nil))
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
}

extension LayerDecoder {
  fileprivate func requireLoop() throws {
    try requireInputs(0...0)
    guard network.isInsideLoop else {
      throw invalid("the layer is outside of a loop's body network.")
    }
  }
}
