import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension GetShapeOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.getShape) {
        (_: inout Spec.GetShapeLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.random([1, 3, 5, 7])
      ],
      expected: [
        ReferenceTensor([4], numbers: "1 3 5 7")
      ],
      tolerance: .exact),
    OperatorSample(
      "an empty tensor",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.getShape) {
        (_: inout Spec.GetShapeLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([0, 2])
      ],
      expected: [
        ReferenceTensor([2], numbers: "0 2")
      ],
      tolerance: .exact),
  ]
}
