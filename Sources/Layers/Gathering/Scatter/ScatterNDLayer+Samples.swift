import Engine
import ModelFormat

extension ScatterNDLayer {
  public static var samples: [LayerSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [LayerSample] = [
    LayerSample(
      "takes the place",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterUpdate
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([3, 2], "1 0 0 -1 1 0"),
        LayerSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 8 4 5")
      ],
      tolerance: .rounding),
    LayerSample(
      "is added",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterAdd
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([3, 2], "1 0 0 -1 1 0"),
        LayerSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 4 15 4 5")
      ],
      tolerance: .rounding),
    LayerSample(
      "is subtracted",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterSub
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([3, 2], "1 0 0 -1 1 0"),
        LayerSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 0 -9 4 5")
      ],
      tolerance: .rounding),
    LayerSample(
      "is multiplied",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterMul
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([3, 2], "1 0 0 -1 1 0"),
        LayerSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 4 96 4 5")
      ],
      tolerance: .rounding),
    LayerSample(
      "divides",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterDiv
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([3, 2], "1 0 0 -1 1 0"),
        LayerSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 1 0.09375 4 5")
      ],
      tolerance: .rounding),
    LayerSample(
      "the greater",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterMax
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([3, 2], "1 0 0 -1 1 0"),
        LayerSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 8 4 5")
      ],
      tolerance: .rounding),
    LayerSample(
      "the smaller",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterMin
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([3, 2], "1 0 0 -1 1 0"),
        LayerSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .rounding),
    LayerSample(
      "rows",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (_: inout Spec.ScatterNDLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.text([1, 1], "2"),
        LayerSample.text([1, 2], "9 8"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 2 3 9 8")
      ],
      tolerance: .exact),
    LayerSample(
      "updates of another shape",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (_: inout Spec.ScatterNDLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([3, 2], "1 0 0 -1 1 0"),
        LayerSample.text([2], "4 2"),
      ],
      failure: "the updates are 2, expected 3",
      tolerance: .exact),
    LayerSample(
      "an index that is not there",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (_: inout Spec.ScatterNDLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([1, 2], "2 0"),
        LayerSample.text([1], "1"),
      ],
      failure: "index 2 does not exist on axis 0",
      tolerance: .exact),
  ]
}
