import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension FlattenOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "planes first",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flatten) {
        (_: inout Spec.FlattenLayerParams) -> Void in
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([2, 1, 3, 2, 2])
      ],
      expected: [
        ReferenceTensor(
          [2, 1, 12, 1, 1],
          numbers: """
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "channels last",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flatten) {
        (message: inout Spec.FlattenLayerParams) -> Void in
        message.mode = .channelLast
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([2, 1, 3, 2, 2])
      ],
      expected: [
        ReferenceTensor(
          [2, 1, 12, 1, 1],
          numbers: """
            0 4 8 1 5 9 2 6 10 3 7 11 12 16 20 13 17 21 14 18 22 15 19 23
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "channels last, rank three",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flatten) {
        (message: inout Spec.FlattenLayerParams) -> Void in
        message.mode = .channelLast
      },
      inputs: [
        OperatorSample.counting([3, 2, 4])
      ],
      expected: [
        ReferenceTensor(
          [24, 1, 1],
          numbers: """
            0 8 16 1 9 17 2 10 18 3 11 19 4 12 20 5 13 21 6 14 22 7 15 23
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "the digits network",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flatten) {
        (_: inout Spec.FlattenLayerParams) -> Void in
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.random([1, 1, 16, 7, 7])
      ],
      tolerance: .exact),
    OperatorSample(
      "the digits network, channels last",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flatten) {
        (message: inout Spec.FlattenLayerParams) -> Void in
        message.mode = .channelLast
      },
      inputs: [
        OperatorSample.random([1, 16, 7, 7])
      ],
      tolerance: .exact),
    OperatorSample(
      "a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flatten) {
        (_: inout Spec.FlattenLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "expected at least 3",
      tolerance: .exact),
  ]
}
