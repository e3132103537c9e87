import Engine
import ModelFormat

extension FillDynamicLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillDynamic) {
        (message: inout Spec.FillDynamicLayerParams) -> Void in
        message.value = 3
      },
      inputs: [
        LayerSample.text([2], "2 3")
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "3 3 3 3 3 3")
      ],
      tolerance: .exact),
    LayerSample(
      "a negative size",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillDynamic) {
        (message: inout Spec.FillDynamicLayerParams) -> Void in
        message.value = 3
      },
      inputs: [
        LayerSample.text([2], "2 -3")
      ],
      failure: "an extent of -3",
      tolerance: .exact),
    LayerSample(
      "more than memory holds",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillDynamic) {
        (message: inout Spec.FillDynamicLayerParams) -> Void in
        message.value = 3
      },
      inputs: [
        LayerSample.text(
          [2],
          """
          1000000000000000019884624838656 1000000000000000019884624838656
          """)
      ],
      failure: "more than the 2147483648",
      tolerance: .exact),
  ]
}
