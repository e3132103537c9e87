import Graph
import ModelFormat
import NeuralNetworkFormat
import Operators

// A control-flow layer computes nothing without a surrounding network. So the engine's tests run networks with branches
// and loops.

extension BranchOperator: SampledOperator {
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "no network", Spec.NeuralNetworkLayer(.branch(Spec.BranchLayerParams())), inputs: [[1]],
      failure: "the branch has no network to run when its condition is true.")
  ]
}

extension LoopOperator: SampledOperator {
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "neither condition nor iteration count",
      Spec.NeuralNetworkLayer(.loop(.making { $0.bodyNetwork = Spec.NeuralNetwork() })),
      inputs: [Shape](), failure: "so it never ends."),
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

extension LoopBreakOperator: SampledOperator {
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "outside of a loop", Spec.NeuralNetworkLayer(.loopBreak(Spec.LoopBreakLayerParams())),
      inputs: [Shape](), failure: "the layer is outside of a loop's body network.")
  ]
}

extension LoopContinueOperator: SampledOperator {
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "outside of a loop", Spec.NeuralNetworkLayer(.loopContinue(Spec.LoopContinueLayerParams())),
      inputs: [Shape](), failure: "the layer is outside of a loop's body network.")
  ]
}

extension CopyOperator: SampledOperator {
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a picture", Spec.NeuralNetworkLayer(.copy(Spec.CopyLayerParams())), inputs: [[1, 3, 5, 7]],
      tolerance: .exact),
    OperatorSample(
      "five dimensions", Spec.NeuralNetworkLayer(.copy(Spec.CopyLayerParams())), mapping: .rank5,
      inputs: [([1, 1, 2, 1, 2], .values([1, -2, 3, 4]))],
      expected: [ReferenceTensor([1, 1, 2, 1, 2], [1, -2, 3, 4])], tolerance: .exact),
    OperatorSample(
      "onto itself",
      {
        var layer = Spec.NeuralNetworkLayer(.copy(Spec.CopyLayerParams()))
        (layer.input, layer.output) = (["x"], ["x"])
        return layer
      }(), inputs: [[2]], failure: "the layer copies 'x' to itself, expected two names."),
    OperatorSample(
      "two inputs", Spec.NeuralNetworkLayer(.copy(Spec.CopyLayerParams())), inputs: [[2], [2]],
      failure: "the layer has 2 inputs, expected 1."),
  ]
}
