import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ScatterOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    knownSamples + wideSamples + ruledSamples
  }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "replaces elements",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterUpdate
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([3], "1 -1 1"),
        OperatorSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 -2 5 8 1")
      ],
      tolerance: .rounding),
    OperatorSample(
      "is added",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterAdd
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([3], "1 -1 1"),
        OperatorSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 4 10 12 6")
      ],
      tolerance: .rounding),
    OperatorSample(
      "is subtracted",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterSub
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([3], "1 -1 1"),
        OperatorSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 0 -4 -4 4")
      ],
      tolerance: .rounding),
    OperatorSample(
      "is multiplied",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterMul
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([3], "1 -1 1"),
        OperatorSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 -16 30 32 5")
      ],
      tolerance: .rounding),
    OperatorSample(
      "divides",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterDiv
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([3], "1 -1 1"),
        OperatorSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 -0.25 0.3 0.5 5")
      ],
      tolerance: .rounding),
    OperatorSample(
      "the greater",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterMax
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([3], "1 -1 1"),
        OperatorSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 4 5 8 5")
      ],
      tolerance: .rounding),
    OperatorSample(
      "the smaller",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.mode = .scatterMin
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([3], "1 -1 1"),
        OperatorSample.text([3, 2], "4 2 8 1 -2 5"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 -2 2 4 1")
      ],
      tolerance: .rounding),
    OperatorSample(
      "columns",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (message: inout Spec.ScatterLayerParams) -> Void in
        message.axis = -1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2], "2 0"),
        OperatorSample.text([2, 2], "10 11 12 13"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "11 1 10 13 4 12")
      ],
      tolerance: .exact),
    OperatorSample(
      "a matrix of indices",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (_: inout Spec.ScatterLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3]),
        OperatorSample.text([2, 1], "0 2"),
        OperatorSample.text([2, 1], "7 8"),
      ],
      expected: [
        ReferenceTensor([3], numbers: "7 1 8")
      ],
      tolerance: .exact),
    OperatorSample(
      "updates of a different shape",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (_: inout Spec.ScatterLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.counting([1]),
        OperatorSample.counting([2, 2]),
      ],
      failure: "the updates are 2 × 2, expected 1 × 2",
      tolerance: .exact),
    OperatorSample(
      "an index out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatter) {
        (_: inout Spec.ScatterLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3]),
        OperatorSample.text([1], "3"),
        OperatorSample.text([1], "1"),
      ],
      failure: "index 3 does not exist",
      tolerance: .exact),
  ]
}
