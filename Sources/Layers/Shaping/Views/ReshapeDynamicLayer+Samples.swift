import Engine
import ModelFormat

extension ReshapeDynamicLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "the rest is found",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeDynamic) {
        (_: inout Spec.ReshapeDynamicLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([3, 4]),
        LayerSample.text([3], "2 -1 2"),
      ],
      expected: [
        ReferenceTensor([2, 3, 2], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    LayerSample(
      "a zero keeps",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeDynamic) {
        (_: inout Spec.ReshapeDynamicLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([3, 4]),
        LayerSample.text([3], "0 2 -1"),
      ],
      expected: [
        ReferenceTensor([3, 2, 2], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    LayerSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeDynamic) {
        (_: inout Spec.ReshapeDynamicLayerParams) -> Void in
      },
      inputs: [
        LayerSample.random([1, 4, 5, 7]),
        LayerSample.text([2], "4 35"),
      ],
      tolerance: .exact),
    LayerSample(
      "another count",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeDynamic) {
        (_: inout Spec.ReshapeDynamicLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([2], "4 2"),
      ],
      failure: "holds 8 values",
      tolerance: .exact),
  ]
}
