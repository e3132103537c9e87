import Engine
import ModelFormat

extension ReverseLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "both axes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [true, true]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "5 4 3 2 1 0")
      ],
      tolerance: .exact),
    LayerSample(
      "columns",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [false, true]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "2 1 0 5 4 3")
      ],
      tolerance: .exact),
    LayerSample(
      "a picture upside down",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [false, false, true, false]
      },
      inputs: [
        LayerSample.random([1, 5, 7, 9])
      ],
      tolerance: .exact),
    LayerSample(
      "channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [false, true, false, false]
      },
      inputs: [
        LayerSample.random([2, 3, 4, 5])
      ],
      tolerance: .exact),
    LayerSample(
      "an empty tensor",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [true, true]
      },
      inputs: [
        LayerSample.counting([0, 3])
      ],
      expected: [
        ReferenceTensor([0, 3], numbers: "")
      ],
      tolerance: .exact),
    LayerSample(
      "another rank",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [true]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      failure: "reverseDim names 1 axes",
      tolerance: .exact),
  ]
}
