import Engine
import ModelFormat

extension GatherLayer {
  public static var samples: [LayerSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [LayerSample] = [
    LayerSample(
      "rows",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.text([3], "2 0 -1"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "4 5 0 1 4 5")
      ],
      tolerance: .exact),
    LayerSample(
      "columns, a matrix of indices",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = -1
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([2, 2], "0 -1 1 1"),
      ],
      expected: [
        ReferenceTensor([2, 2, 2], numbers: "0 2 1 1 3 5 4 4")
      ],
      tolerance: .exact),
    LayerSample(
      "the middle axis",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 1
      },
      inputs: [
        LayerSample.counting([2, 3, 2]),
        LayerSample.text([2], "2 2"),
      ],
      expected: [
        ReferenceTensor([2, 2, 2], numbers: "4 5 4 5 10 11 10 11")
      ],
      tolerance: .exact),
    LayerSample(
      "a table of vectors",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        LayerSample.random([37, 19]),
        LayerSample.text([6], "36 0 17 17 -37 5"),
      ],
      tolerance: .exact),
    LayerSample(
      "no indices",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.counting([0]),
      ],
      expected: [
        ReferenceTensor([0, 2], numbers: "")
      ],
      tolerance: .exact),
    LayerSample(
      "an index that is not there",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.text([1], "3"),
      ],
      failure: "index 3 does not exist on axis 0, expected -3 to 2",
      tolerance: .exact),
    LayerSample(
      "out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 2
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.counting([1]),
      ],
      failure: "axis is 2, expected -2 to 1",
      tolerance: .exact),
  ]
}
