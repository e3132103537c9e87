import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension FillLikeOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillLike) {
        (message: inout Spec.FillLikeLayerParams) -> Void in
        message.value = -1
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "-1 -1 -1 -1 -1 -1")
      ],
      tolerance: .exact),
    OperatorSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.fillLike) {
        (message: inout Spec.FillLikeLayerParams) -> Void in
        message.value = 7
      },
      inputs: [
        OperatorSample.random([1, 3, 5, 7])
      ],
      tolerance: .exact),
  ]
}
