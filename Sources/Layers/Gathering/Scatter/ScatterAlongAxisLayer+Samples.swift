import Engine
import ModelFormat

extension ScatterAlongAxisLayer {
  public static var samples: [LayerSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [LayerSample] = [
    LayerSample(
      "takes the place",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterUpdate
      },
      inputs: [
        LayerSample.text([2, 3], "1 2 3 4 5 6"),
        LayerSample.text([2, 2], "0 0 2 -2"),
        LayerSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "6 2 3 4 8 7")
      ],
      tolerance: .rounding),
    LayerSample(
      "is added",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterAdd
      },
      inputs: [
        LayerSample.text([2, 3], "1 2 3 4 5 6"),
        LayerSample.text([2, 2], "0 0 2 -2"),
        LayerSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "12 2 3 4 13 13")
      ],
      tolerance: .rounding),
    LayerSample(
      "is subtracted",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterSub
      },
      inputs: [
        LayerSample.text([2, 3], "1 2 3 4 5 6"),
        LayerSample.text([2, 2], "0 0 2 -2"),
        LayerSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "-10 2 3 4 -3 -1")
      ],
      tolerance: .rounding),
    LayerSample(
      "is multiplied",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterMul
      },
      inputs: [
        LayerSample.text([2, 3], "1 2 3 4 5 6"),
        LayerSample.text([2, 2], "0 0 2 -2"),
        LayerSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "30 2 3 4 40 42")
      ],
      tolerance: .rounding),
    LayerSample(
      "divides",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterDiv
      },
      inputs: [
        LayerSample.text([2, 3], "1 2 3 4 5 6"),
        LayerSample.text([2, 2], "0 0 2 -2"),
        LayerSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0.0333333333 2 3 4 0.625 0.857142857")
      ],
      tolerance: .rounding),
    LayerSample(
      "the greater",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterMax
      },
      inputs: [
        LayerSample.text([2, 3], "1 2 3 4 5 6"),
        LayerSample.text([2, 2], "0 0 2 -2"),
        LayerSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "6 2 3 4 8 7")
      ],
      tolerance: .rounding),
    LayerSample(
      "the smaller",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterMin
      },
      inputs: [
        LayerSample.text([2, 3], "1 2 3 4 5 6"),
        LayerSample.text([2, 2], "0 0 2 -2"),
        LayerSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "1 2 3 4 5 6")
      ],
      tolerance: .rounding),
    LayerSample(
      "rows, from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = -2
      },
      inputs: [
        LayerSample.counting([3, 2]),
        LayerSample.text([1, 2], "2 0"),
        LayerSample.text([1, 2], "9 8"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 8 2 3 9 5")
      ],
      tolerance: .exact),
    LayerSample(
      "updates of another shape",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
      },
      inputs: [
        LayerSample.counting([2, 3]),
        LayerSample.text([2, 2], "0 0 2 -2"),
        LayerSample.text([2, 1], "5 7"),
      ],
      failure: "the updates are 2 × 1, expected 2 × 2",
      tolerance: .exact),
  ]
}
