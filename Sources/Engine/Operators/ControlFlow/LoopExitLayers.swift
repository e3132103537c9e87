import Graph
import ModelFormat

/// Leaves the loop around it at once; what was written before stays.
///
/// No inputs and no outputs. Stands in the body of a loop, or in a branch there.
///
/// **Source:** `LoopBreakLayerParams`.
public struct LoopBreakOperator: ControlOperator, Layer {
  public static let declaration = OperatorDeclaration(
    "LoopBreak", specification: "loopBreak", summary: "leaves the loop around it")

  public init(decoding decoder: LayerDecoder) throws {
    guard case .loopBreak? = decoder.message.layer else { throw decoder.notA("loopBreak") }
    try decoder.requireLoop()
  }

  public var rule: ControlRule { .leave(.breaksLoop) }

  public static let samples: [OperatorSample] = [
    OperatorSample(
      "outside of a loop", Spec.NeuralNetworkLayer(.loopBreak(Spec.LoopBreakLayerParams())),
      inputs: [Shape](), failure: "the layer stands outside of a loop's body network.")
  ]
}

/// Ends this round of the loop around it; what was written before stays.
///
/// No inputs and no outputs. Stands in the body of a loop, or in a branch there.
///
/// **Source:** `LoopContinueLayerParams`.
public struct LoopContinueOperator: ControlOperator, Layer {
  public static let declaration = OperatorDeclaration(
    "LoopContinue", specification: "loopContinue", summary: "goes on with the loop's next round")

  public init(decoding decoder: LayerDecoder) throws {
    guard case .loopContinue? = decoder.message.layer else {
      throw decoder.notA("loopContinue")
    }
    try decoder.requireLoop()
  }

  public var rule: ControlRule { .leave(.continuesLoop) }

  public static let samples: [OperatorSample] = [
    OperatorSample(
      "outside of a loop", Spec.NeuralNetworkLayer(.loopContinue(Spec.LoopContinueLayerParams())),
      inputs: [Shape](), failure: "the layer stands outside of a loop's body network.")
  ]
}

extension LayerDecoder {
  fileprivate func requireLoop() throws {
    try requireInputs(0...0)
    guard network.isInsideLoop else {
      throw invalid("the layer stands outside of a loop's body network.")
    }
  }
}
