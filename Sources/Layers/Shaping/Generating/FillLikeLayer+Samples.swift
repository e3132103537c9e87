import Engine
import ModelFormat

extension FillLikeLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillLike) {
        (message: inout Spec.FillLikeLayerParams) -> Void in
        message.value = -1
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "-1 -1 -1 -1 -1 -1")
      ],
      tolerance: .exact),
    LayerSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillLike) {
        (message: inout Spec.FillLikeLayerParams) -> Void in
        message.value = 7
      },
      inputs: [
        LayerSample.random([1, 3, 5, 7])
      ],
      tolerance: .exact),
  ]
}
