import Engine
import ModelFormat

extension ScatterLayer {
  public static var samples: [LayerSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [LayerSample] = [
    LayerSample(
      "takes the place",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterUpdate
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.text([3], "1 -1 1"),
        LayerSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 -2 5 8 1")
      ],
      tolerance: .rounding),
    LayerSample(
      "is added",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterAdd
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.text([3], "1 -1 1"),
        LayerSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 4 10 12 6")
      ],
      tolerance: .rounding),
    LayerSample(
      "is subtracted",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterSub
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.text([3], "1 -1 1"),
        LayerSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 0 -4 -4 4")
      ],
      tolerance: .rounding),
    LayerSample(
      "is multiplied",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterMul
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.text([3], "1 -1 1"),
        LayerSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 -16 30 32 5")
      ],
      tolerance: .rounding),
    LayerSample(
      "divides",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterDiv
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.text([3], "1 -1 1"),
        LayerSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 -0.25 0.3 0.5 5")
      ],
      tolerance: .rounding),
    LayerSample(
      "the greater",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterMax
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.text([3], "1 -1 1"),
        LayerSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 4 5 8 5")
      ],
      tolerance: .rounding),
    LayerSample(
      "the smaller",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterMin
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.text([3], "1 -1 1"),
        LayerSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 -2 2 4 1")
      ],
      tolerance: .rounding),
    LayerSample(
      "columns",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.axis = -1
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([2], "2 0"),
        LayerSample.text([2, 2], "10 11 12 13"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "11 1 10 13 4 12")
      ],
      tolerance: .exact),
    LayerSample(
      "a matrix of indices",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (_: inout Spec.ScatterLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([3]),
        LayerSample.text([2, 1], "0 2"),
        LayerSample.text([2, 1], "7 8"),
      ],
      expected: [
        ReferenceTensor([3], numbers: "7 1 8")
      ],
      tolerance: .exact),
    LayerSample(
      "updates of another shape",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (_: inout Spec.ScatterLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.counting([1]),
        LayerSample.counting([2, 2]),
      ],
      failure: "the updates are 2 × 2, expected 1 × 2",
      tolerance: .exact),
    LayerSample(
      "an index that is not there",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (_: inout Spec.ScatterLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([3]),
        LayerSample.text([1], "3"),
        LayerSample.text([1], "1"),
      ],
      failure: "index 3 does not exist",
      tolerance: .exact),
  ]
}
