import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension SplitNDOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "equal parts",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.splitND, outputs: 3) {
        (message: inout Spec.SplitNDLayerParams) -> Void in
        message.axis = 1
        message.numSplits = 3
      },
      inputs: [
        OperatorSample.counting([2, 6])
      ],
      expected: [
        ReferenceTensor([2, 2], numbers: "0 1 6 7"),
        ReferenceTensor([2, 2], numbers: "2 3 8 9"),
        ReferenceTensor([2, 2], numbers: "4 5 10 11"),
      ],
      tolerance: .exact),
    OperatorSample(
      "the first parts are longer",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.splitND, outputs: 3) {
        (message: inout Spec.SplitNDLayerParams) -> Void in
        message.axis = 0
        message.numSplits = 3
      },
      inputs: [
        OperatorSample.counting([5])
      ],
      expected: [
        ReferenceTensor([2], numbers: "0 1"),
        ReferenceTensor([2], numbers: "2 3"),
        ReferenceTensor([1], numbers: "4"),
      ],
      tolerance: .exact),
    OperatorSample(
      "parts with explicit sizes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.splitND, outputs: 2) {
        (message: inout Spec.SplitNDLayerParams) -> Void in
        message.axis = -1
        message.splitSizes = [1, 3]
        message.numSplits = 2
      },
      inputs: [
        OperatorSample.counting([2, 4])
      ],
      expected: [
        ReferenceTensor([2, 1], numbers: "0 4"),
        ReferenceTensor([2, 3], numbers: "1 2 3 5 6 7"),
      ],
      tolerance: .exact),
    OperatorSample(
      "pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.splitND, outputs: 2) {
        (message: inout Spec.SplitNDLayerParams) -> Void in
        message.axis = 2
        message.numSplits = 2
      },
      inputs: [
        OperatorSample.random([1, 3, 6, 7])
      ],
      tolerance: .exact),
    OperatorSample(
      "channels of pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.splitND, outputs: 2) {
        (message: inout Spec.SplitNDLayerParams) -> Void in
        message.axis = 1
        message.splitSizes = [3, 4]
        message.numSplits = 2
      },
      inputs: [
        OperatorSample.random([2, 7, 6, 5])
      ],
      tolerance: .exact),
    OperatorSample(
      "sizes with a wrong sum",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.splitND, outputs: 2) {
        (message: inout Spec.SplitNDLayerParams) -> Void in
        message.axis = 1
        message.splitSizes = [1, 3]
      },
      inputs: [
        OperatorSample.counting([2, 6])
      ],
      failure: "add up to 4, but axis 1 of the input (2 × 6) has 6",
      tolerance: .exact),
    OperatorSample(
      "no parts",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.splitND) {
        (_: inout Spec.SplitNDLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 6])
      ],
      failure: "numSplits is 0",
      tolerance: .exact),
  ]
}
