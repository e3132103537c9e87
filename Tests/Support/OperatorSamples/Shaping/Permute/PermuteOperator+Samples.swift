import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension PermuteOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "swapped rows and channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.permute) {
        (message: inout Spec.PermuteLayerParams) -> Void in
        message.axis = [0, 2, 1, 3]
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([2, 1, 3, 2, 2])
      ],
      expected: [
        ReferenceTensor(
          [2, 1, 2, 3, 2],
          numbers: """
            0 1 4 5 8 9 2 3 6 7 10 11 12 13 16 17 20 21 14 15 18 19 22 23
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "the sequence becomes columns",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.permute) {
        (message: inout Spec.PermuteLayerParams) -> Void in
        message.axis = [3, 1, 2, 0]
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([2, 1, 3, 2, 2])
      ],
      expected: [
        ReferenceTensor(
          [2, 1, 3, 2, 2],
          numbers: """
            0 12 2 14 4 16 6 18 8 20 10 22 1 13 3 15 5 17 7 19 9 21 11 23
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "planes become pixels, batch of two",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.permute) {
        (message: inout Spec.PermuteLayerParams) -> Void in
        message.axis = [0, 2, 3, 1]
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([1, 2, 3, 2, 2])
      ],
      expected: [
        ReferenceTensor(
          [1, 2, 2, 2, 3],
          numbers: """
            0 4 8 1 5 9 2 6 10 3 7 11 12 16 20 13 17 21 14 18 22 15 19 23
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "the identity by default",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.permute) {
        (_: inout Spec.PermuteLayerParams) -> Void in
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([2, 1, 3, 2, 2])
      ],
      expected: [
        ReferenceTensor(
          [2, 1, 3, 2, 2],
          numbers: """
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "four dimensions",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.permute) {
        (message: inout Spec.PermuteLayerParams) -> Void in
        message.axis = [0, 3, 1, 2]
      },
      inputs: [
        OperatorSample.counting([2, 3, 2, 4])
      ],
      expected: [
        ReferenceTensor(
          [2, 4, 3, 2],
          numbers: """
            0 4 8 12 16 20 1 5 9 13 17 21 2 6 10 14 18 22 3 7 11 15 19 23 24 28 32 36 40 44 25 29
            33 37 41 45 26 30 34 38 42 46 27 31 35 39 43 47
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "a large picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.permute) {
        (message: inout Spec.PermuteLayerParams) -> Void in
        message.axis = [0, 3, 2, 1]
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.random([1, 1, 19, 33, 41])
      ],
      tolerance: .exact),
    OperatorSample(
      "not a permutation",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.permute) {
        (message: inout Spec.PermuteLayerParams) -> Void in
        message.axis = [0, 1, 1, 2]
      },
      inputs: [
        OperatorSample.counting([2, 1, 3, 2, 2])
      ],
      failure: "expected a permutation of [0, 1, 2, 3]",
      tolerance: .exact),
    OperatorSample(
      "a sequence axis that the input lacks",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.permute) {
        (message: inout Spec.PermuteLayerParams) -> Void in
        message.axis = [3, 1, 2, 0]
      },
      inputs: [
        OperatorSample.counting([3, 2, 2])
      ],
      failure: "has none; five dimensions are expected",
      tolerance: .exact),
  ]
}
