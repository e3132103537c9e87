import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension RankPreservingReshapeOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "an inferred extent",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rankPreservingReshape) {
        (message: inout Spec.RankPreservingReshapeLayerParams) -> Void in
        message.targetShape = [5, -1]
      },
      inputs: [
        OperatorSample.counting([10, 2])
      ],
      expected: [
        ReferenceTensor([5, 4], numbers: "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19")
      ],
      tolerance: .exact),
    OperatorSample(
      "a zero keeps",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rankPreservingReshape) {
        (message: inout Spec.RankPreservingReshapeLayerParams) -> Void in
        message.targetShape = [0, 2, 3]
      },
      inputs: [
        OperatorSample.counting([2, 3, 2])
      ],
      expected: [
        ReferenceTensor([2, 2, 3], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "both",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rankPreservingReshape) {
        (message: inout Spec.RankPreservingReshapeLayerParams) -> Void in
        message.targetShape = [6, 0, -1]
      },
      inputs: [
        OperatorSample.counting([2, 2, 3])
      ],
      expected: [
        ReferenceTensor([6, 2, 1], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "another rank",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.rankPreservingReshape) {
        (message: inout Spec.RankPreservingReshapeLayerParams) -> Void in
        message.targetShape = [2, 3, 1]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "names 3 sizes, but the input has 2 dimensions",
      tolerance: .exact),
  ]
}
