import Engine
import ModelFormat

extension ReshapeLikeLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "a matrix to rank four",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeLike) {
        (_: inout Spec.ReshapeLikeLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.counting([1, 3, 1, 2]),
      ],
      expected: [
        ReferenceTensor([1, 3, 1, 2], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    LayerSample(
      "a picture to a vector",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeLike) {
        (_: inout Spec.ReshapeLikeLayerParams) -> Void in
      },
      inputs: [
        LayerSample.random([2, 3, 5, 7]),
        LayerSample.random([210]),
      ],
      tolerance: .exact),
    LayerSample(
      "another count",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeLike) {
        (_: inout Spec.ReshapeLikeLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.counting([5]),
      ],
      failure: "holds 5 values",
      tolerance: .exact),
  ]
}
