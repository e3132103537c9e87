import Graph
import ModelFormat

// What decides runs nothing alone: networks with branches and loops are tested by the engine's tests.

extension BranchOperator {
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "no network", Spec.NeuralNetworkLayer(.branch(Spec.BranchLayerParams())), inputs: [[1]],
      failure: "the branch has no network to run when its condition is true.")
  ]
}

extension LoopOperator {
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "neither condition nor number",
      Spec.NeuralNetworkLayer(.loop(.making { $0.bodyNetwork = Spec.NeuralNetwork() })),
      inputs: [Shape](), failure: "so nothing says when it ends."),
    OperatorSample(
      "a condition without a name",
      Spec.NeuralNetworkLayer(
        .loop(
          .making {
            $0.conditionNetwork = .making { $0.layers = [Spec.NeuralNetworkLayer()] }
            $0.bodyNetwork = Spec.NeuralNetwork()
          })), inputs: [Shape](),
      failure: "the loop has a condition network but no conditionVar, so its result has no name."),
    OperatorSample(
      "no body",
      Spec.NeuralNetworkLayer(.loop(.making { $0.maxLoopIterations = 3 })), inputs: [Shape](),
      failure: "the loop has no body network."),
  ]
}
