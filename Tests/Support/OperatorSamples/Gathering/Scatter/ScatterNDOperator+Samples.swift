import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ScatterNDOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    knownSamples + wideSamples + ruledSamples
  }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "replaces elements",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterUpdate
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([3, 2], "1 0 0 -1 1 0"),
        OperatorSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 8 4 5")
      ],
      tolerance: .rounding),
    OperatorSample(
      "is added",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterAdd
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([3, 2], "1 0 0 -1 1 0"),
        OperatorSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 4 15 4 5")
      ],
      tolerance: .rounding),
    OperatorSample(
      "is subtracted",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterSub
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([3, 2], "1 0 0 -1 1 0"),
        OperatorSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 0 -9 4 5")
      ],
      tolerance: .rounding),
    OperatorSample(
      "is multiplied",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterMul
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([3, 2], "1 0 0 -1 1 0"),
        OperatorSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 4 96 4 5")
      ],
      tolerance: .rounding),
    OperatorSample(
      "divides",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterDiv
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([3, 2], "1 0 0 -1 1 0"),
        OperatorSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 1 0.09375 4 5")
      ],
      tolerance: .rounding),
    OperatorSample(
      "the greater",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterMax
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([3, 2], "1 0 0 -1 1 0"),
        OperatorSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 8 4 5")
      ],
      tolerance: .rounding),
    OperatorSample(
      "the smaller",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (message: inout Spec.ScatterNDLayerParams) -> Void in
        message.mode = .scatterMin
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([3, 2], "1 0 0 -1 1 0"),
        OperatorSample.text([3], "4 2 8"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .rounding),
    OperatorSample(
      "rows",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (_: inout Spec.ScatterNDLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([1, 1], "2"),
        OperatorSample.text([1, 2], "9 8"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 2 3 9 8")
      ],
      tolerance: .exact),
    OperatorSample(
      "updates of a different shape",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (_: inout Spec.ScatterNDLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([3, 2], "1 0 0 -1 1 0"),
        OperatorSample.text([2], "4 2"),
      ],
      failure: "the updates are 2, expected 3",
      tolerance: .exact),
    OperatorSample(
      "an index out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.scatterND) {
        (_: inout Spec.ScatterNDLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([1, 2], "2 0"),
        OperatorSample.text([1], "1"),
      ],
      failure: "index 2 does not exist on axis 0",
      tolerance: .exact),
  ]
}
