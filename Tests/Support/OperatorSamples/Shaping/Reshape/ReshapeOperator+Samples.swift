import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ReshapeOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "three sizes, planes first",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshape) {
        (message: inout Spec.ReshapeLayerParams) -> Void in
        message.targetShape = [10, 1, 1]
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([1, 1, 1, 2, 5])
      ],
      expected: [
        ReferenceTensor([1, 1, 10, 1, 1], numbers: "0 1 2 3 4 5 6 7 8 9")
      ],
      tolerance: .exact),
    OperatorSample(
      "four sizes, the sequence changes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshape) {
        (message: inout Spec.ReshapeLayerParams) -> Void in
        message.targetShape = [3, 2, 2, 1]
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([1, 1, 3, 2, 2])
      ],
      expected: [
        ReferenceTensor([3, 1, 2, 2, 1], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "channels last",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshape) {
        (message: inout Spec.ReshapeLayerParams) -> Void in
        message.targetShape = [2, 3, 4]
        message.mode = .channelLast
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([1, 1, 4, 2, 3])
      ],
      expected: [
        ReferenceTensor(
          [1, 1, 2, 3, 4],
          numbers: """
            0 12 1 13 2 14 3 15 4 16 5 17 6 18 7 19 8 20 9 21 10 22 11 23
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "channels last for every element of a sequence",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshape) {
        (message: inout Spec.ReshapeLayerParams) -> Void in
        message.targetShape = [6, 1, 2]
        message.mode = .channelLast
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([2, 1, 3, 2, 2])
      ],
      expected: [
        ReferenceTensor(
          [2, 1, 6, 1, 2],
          numbers: """
            0 2 4 6 8 10 1 3 5 7 9 11 12 14 16 18 20 22 13 15 17 19 21 23
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "an inferred extent",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshape) {
        (message: inout Spec.ReshapeLayerParams) -> Void in
        message.targetShape = [-1, 2, 2]
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([1, 2, 3, 2, 4])
      ],
      expected: [
        ReferenceTensor(
          [1, 2, 6, 2, 2],
          numbers: """
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
            32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "the sequence changes around a batch",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshape) {
        (message: inout Spec.ReshapeLayerParams) -> Void in
        message.targetShape = [1, 4, 1, 2]
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([2, 2, 2, 1, 2])
      ],
      expected: [
        ReferenceTensor([1, 2, 4, 1, 2], numbers: "0 1 2 3 8 9 10 11 4 5 6 7 12 13 14 15")
      ],
      tolerance: .exact),
    OperatorSample(
      "an image of rank four",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshape) {
        (message: inout Spec.ReshapeLayerParams) -> Void in
        message.targetShape = [4, 3, 2]
      },
      inputs: [
        OperatorSample.counting([2, 2, 3, 4])
      ],
      expected: [
        ReferenceTensor(
          [2, 4, 3, 2],
          numbers: """
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
            32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "two sizes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshape) {
        (message: inout Spec.ReshapeLayerParams) -> Void in
        message.targetShape = [4, 3]
      },
      inputs: [
        OperatorSample.counting([1, 1, 12, 1, 1])
      ],
      failure: "targetShape holds 2 sizes, expected 3",
      tolerance: .exact),
    OperatorSample(
      "a wrong element count",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshape) {
        (message: inout Spec.ReshapeLayerParams) -> Void in
        message.targetShape = [5, 1, 1]
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([1, 1, 4, 1, 1])
      ],
      failure: "holds 5 values, but the input (4 × 1 × 1) has 4",
      tolerance: .exact),
  ]
}
