import Engine
import ModelFormat

extension WhereBroadcastableLayer {
  public static var samples: [LayerSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [LayerSample] = [
    LayerSample(
      "one shape",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereBroadcastable) {
        (_: inout Spec.WhereBroadcastableLayerParams) -> Void in
      },
      inputs: [
        LayerSample.text([2, 3], "0 2 0 -1 0 3"),
        LayerSample.counting([2, 3]),
        LayerSample.text([2, 3], "0 -1 -2 -3 -4 -5"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 -2 3 -4 5")
      ],
      tolerance: .exact),
    LayerSample(
      "everything stretches",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereBroadcastable) {
        (_: inout Spec.WhereBroadcastableLayerParams) -> Void in
      },
      inputs: [
        LayerSample.text([2, 1], "1 0"),
        LayerSample.counting([3]),
        LayerSample.text([2, 1, 1], "10 20"),
      ],
      expected: [
        ReferenceTensor([2, 2, 3], numbers: "0 1 2 10 10 10 0 1 2 20 20 20")
      ],
      tolerance: .exact),
    LayerSample(
      "shapes that do not fit",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereBroadcastable) {
        (_: inout Spec.WhereBroadcastableLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([2]),
        LayerSample.counting([3]),
        LayerSample.counting([1]),
      ],
      failure: "do not broadcast",
      tolerance: .exact),
  ]
}
