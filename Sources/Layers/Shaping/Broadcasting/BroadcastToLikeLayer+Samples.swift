import Engine
import ModelFormat

extension BroadcastToLikeLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "rows repeat",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToLike) {
        (_: inout Spec.BroadcastToLikeLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([1, 3]),
        LayerSample.counting([2, 3]),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 0 1 2")
      ],
      tolerance: .exact),
    LayerSample(
      "pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToLike) {
        (_: inout Spec.BroadcastToLikeLayerParams) -> Void in
      },
      inputs: [
        LayerSample.random([5, 1, 1]),
        LayerSample.random([2, 5, 3, 4]),
      ],
      tolerance: .exact),
    LayerSample(
      "does not fit",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToLike) {
        (_: inout Spec.BroadcastToLikeLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([3]),
        LayerSample.counting([2, 2]),
      ],
      failure: "does not stretch to 2 × 2",
      tolerance: .exact),
  ]
}
