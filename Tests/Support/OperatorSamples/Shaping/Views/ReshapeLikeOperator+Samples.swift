import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ReshapeLikeOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a matrix to rank four",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeLike) {
        (_: inout Spec.ReshapeLikeLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([1, 3, 1, 2]),
      ],
      expected: [
        ReferenceTensor([1, 3, 1, 2], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "an image to a vector",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeLike) {
        (_: inout Spec.ReshapeLikeLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.random([2, 3, 5, 7]),
        OperatorSample.random([210]),
      ],
      tolerance: .exact),
    OperatorSample(
      "another count",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeLike) {
        (_: inout Spec.ReshapeLikeLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([5]),
      ],
      failure: "holds 5 values",
      tolerance: .exact),
  ]
}
