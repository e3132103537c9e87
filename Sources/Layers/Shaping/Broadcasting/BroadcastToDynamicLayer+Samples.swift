import Engine
import ModelFormat

extension BroadcastToDynamicLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "rows repeat",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToDynamic) {
        (_: inout Spec.BroadcastToDynamicLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([1, 3]),
        LayerSample.text([2], "2 3"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 0 1 2")
      ],
      tolerance: .exact),
    LayerSample(
      "pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToDynamic) {
        (_: inout Spec.BroadcastToDynamicLayerParams) -> Void in
      },
      inputs: [
        LayerSample.random([5, 1, 1]),
        LayerSample.text([4], "2 5 3 4"),
      ],
      tolerance: .exact),
    LayerSample(
      "does not fit",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToDynamic) {
        (_: inout Spec.BroadcastToDynamicLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([3]),
        LayerSample.text([2], "2 2"),
      ],
      failure: "does not stretch to 2 × 2",
      tolerance: .exact),
    LayerSample(
      "a negative size",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToDynamic) {
        (_: inout Spec.BroadcastToDynamicLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([3]),
        LayerSample.text([2], "-2 3"),
      ],
      failure: "an extent of -2",
      tolerance: .exact),
  ]
}
