import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension SplitOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "two parts",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.split, outputs: 2) {
        (message: inout Spec.SplitLayerParams) -> Void in
        message.nOutputs = 2
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([1, 1, 4, 1, 2])
      ],
      expected: [
        ReferenceTensor([1, 1, 2, 1, 2], numbers: "0 1 2 3"),
        ReferenceTensor([1, 1, 2, 1, 2], numbers: "4 5 6 7"),
      ],
      tolerance: .exact),
    OperatorSample(
      "three parts of a batch",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.split, outputs: 3) {
        (message: inout Spec.SplitLayerParams) -> Void in
        message.nOutputs = 3
      },
      inputs: [
        OperatorSample.counting([2, 6, 1, 2])
      ],
      expected: [
        ReferenceTensor([2, 2, 1, 2], numbers: "0 1 2 3 12 13 14 15"),
        ReferenceTensor([2, 2, 1, 2], numbers: "4 5 6 7 16 17 18 19"),
        ReferenceTensor([2, 2, 1, 2], numbers: "8 9 10 11 20 21 22 23"),
      ],
      tolerance: .exact),
    OperatorSample(
      "odd sizes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.split, outputs: 3) {
        (message: inout Spec.SplitLayerParams) -> Void in
        message.nOutputs = 3
      },
      inputs: [
        OperatorSample.random([1, 9, 17, 13])
      ],
      tolerance: .exact),
    OperatorSample(
      "channels that do not divide",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.split, outputs: 3) {
        (message: inout Spec.SplitLayerParams) -> Void in
        message.nOutputs = 3
      },
      inputs: [
        OperatorSample.counting([1, 4, 1, 1])
      ],
      failure: "do not divide into 3 equal parts",
      tolerance: .exact),
    OperatorSample(
      "too few outputs named",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.split, outputs: 2) {
        (message: inout Spec.SplitLayerParams) -> Void in
        message.nOutputs = 3
      },
      inputs: [
        OperatorSample.counting([1, 3, 1, 1])
      ],
      failure: "names 2 outputs, expected 3",
      tolerance: .exact),
  ]
}
