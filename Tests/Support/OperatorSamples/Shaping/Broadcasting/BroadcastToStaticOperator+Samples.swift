import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension BroadcastToStaticOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "rows repeat",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToStatic) {
        (message: inout Spec.BroadcastToStaticLayerParams) -> Void in
        message.targetShape = [2, 3]
      },
      inputs: [
        OperatorSample.counting([3])
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 0 1 2")
      ],
      tolerance: .exact),
    OperatorSample(
      "columns repeat",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToStatic) {
        (message: inout Spec.BroadcastToStaticLayerParams) -> Void in
        message.targetShape = [2, 2, 3]
      },
      inputs: [
        OperatorSample.counting([2, 1])
      ],
      expected: [
        ReferenceTensor([2, 2, 3], numbers: "0 0 0 1 1 1 0 0 0 1 1 1")
      ],
      tolerance: .exact),
    OperatorSample(
      "one value per channel",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToStatic) {
        (message: inout Spec.BroadcastToStaticLayerParams) -> Void in
        message.targetShape = [2, 5, 7, 3]
      },
      inputs: [
        OperatorSample.random([1, 5, 1, 1])
      ],
      tolerance: .exact),
    OperatorSample(
      "does not fit",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToStatic) {
        (message: inout Spec.BroadcastToStaticLayerParams) -> Void in
        message.targetShape = [2, 2]
      },
      inputs: [
        OperatorSample.counting([3])
      ],
      failure: "does not broadcast to 2 × 2",
      tolerance: .exact),
  ]
}
