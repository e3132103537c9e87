import Engine
import ModelFormat

extension ExpandDimsLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "in front",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [0, 1]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([1, 1, 2, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    LayerSample(
      "between",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [0, 2]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([1, 2, 1, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    LayerSample(
      "at the end, from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [-2, -1]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([2, 3, 1, 1], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    LayerSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [0]
      },
      inputs: [
        LayerSample.random([3, 5, 7])
      ],
      tolerance: .exact),
    LayerSample(
      "twice the same",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [0, -4]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      failure: "expected different axes of an output of 4 dimensions",
      tolerance: .exact),
    LayerSample(
      "out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [4]
      },
      inputs: [
        LayerSample.counting([2, 3])
      ],
      failure: "expected different axes of an output of 3 dimensions",
      tolerance: .exact),
  ]
}
