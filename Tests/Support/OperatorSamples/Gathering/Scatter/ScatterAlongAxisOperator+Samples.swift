import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ScatterAlongAxisOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    knownSamples + wideSamples + ruledSamples
  }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "replaces elements",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterUpdate
      },
      inputs: [
        OperatorSample.text([2, 3], "1 2 3 4 5 6"),
        OperatorSample.text([2, 2], "0 0 2 -2"),
        OperatorSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "6 2 3 4 8 7")
      ],
      tolerance: .rounding),
    OperatorSample(
      "is added",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterAdd
      },
      inputs: [
        OperatorSample.text([2, 3], "1 2 3 4 5 6"),
        OperatorSample.text([2, 2], "0 0 2 -2"),
        OperatorSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "12 2 3 4 13 13")
      ],
      tolerance: .rounding),
    OperatorSample(
      "is subtracted",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterSub
      },
      inputs: [
        OperatorSample.text([2, 3], "1 2 3 4 5 6"),
        OperatorSample.text([2, 2], "0 0 2 -2"),
        OperatorSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "-10 2 3 4 -3 -1")
      ],
      tolerance: .rounding),
    OperatorSample(
      "is multiplied",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterMul
      },
      inputs: [
        OperatorSample.text([2, 3], "1 2 3 4 5 6"),
        OperatorSample.text([2, 2], "0 0 2 -2"),
        OperatorSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "30 2 3 4 40 42")
      ],
      tolerance: .rounding),
    OperatorSample(
      "divides",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterDiv
      },
      inputs: [
        OperatorSample.text([2, 3], "1 2 3 4 5 6"),
        OperatorSample.text([2, 2], "0 0 2 -2"),
        OperatorSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0.0333333333 2 3 4 0.625 0.857142857")
      ],
      tolerance: .rounding),
    OperatorSample(
      "the greater",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterMax
      },
      inputs: [
        OperatorSample.text([2, 3], "1 2 3 4 5 6"),
        OperatorSample.text([2, 2], "0 0 2 -2"),
        OperatorSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "6 2 3 4 8 7")
      ],
      tolerance: .rounding),
    OperatorSample(
      "the smaller",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
        message.mode = .scatterMin
      },
      inputs: [
        OperatorSample.text([2, 3], "1 2 3 4 5 6"),
        OperatorSample.text([2, 2], "0 0 2 -2"),
        OperatorSample.text([2, 2], "5 6 7 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "1 2 3 4 5 6")
      ],
      tolerance: .rounding),
    OperatorSample(
      "rows, from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = -2
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([1, 2], "2 0"),
        OperatorSample.text([1, 2], "9 8"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 8 2 3 9 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "updates of a different shape",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterAlongAxis) {
        (message: inout Spec.ScatterAlongAxisLayerParams) -> Void in
        message.axis = 1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2, 2], "0 0 2 -2"),
        OperatorSample.text([2, 1], "5 7"),
      ],
      failure: "the updates are 2 × 1, expected 2 × 2",
      tolerance: .exact),
  ]
}
