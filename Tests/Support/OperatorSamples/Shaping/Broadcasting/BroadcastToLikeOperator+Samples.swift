import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension BroadcastToLikeOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "rows repeat",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToLike) {
        (_: inout Spec.BroadcastToLikeLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([1, 3]),
        OperatorSample.counting([2, 3]),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 0 1 2")
      ],
      tolerance: .exact),
    OperatorSample(
      "pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToLike) {
        (_: inout Spec.BroadcastToLikeLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.random([5, 1, 1]),
        OperatorSample.random([2, 5, 3, 4]),
      ],
      tolerance: .exact),
    OperatorSample(
      "does not fit",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToLike) {
        (_: inout Spec.BroadcastToLikeLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3]),
        OperatorSample.counting([2, 2]),
      ],
      failure: "does not broadcast to 2 × 2",
      tolerance: .exact),
  ]
}
