import Engine
import ModelFormat

extension GetShapeLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.getShape) {
        (_: inout Spec.GetShapeLayerParams) -> Void in
      },
      inputs: [
        LayerSample.random([1, 3, 5, 7])
      ],
      expected: [
        ReferenceTensor([4], numbers: "1 3 5 7")
      ],
      tolerance: .exact),
    LayerSample(
      "an empty tensor",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.getShape) {
        (_: inout Spec.GetShapeLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([0, 2])
      ],
      expected: [
        ReferenceTensor([2], numbers: "0 2")
      ],
      tolerance: .exact),
  ]
}
