import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ReshapeDynamicOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "an inferred extent",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeDynamic) {
        (_: inout Spec.ReshapeDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3, 4]),
        OperatorSample.text([3], "2 -1 2"),
      ],
      expected: [
        ReferenceTensor([2, 3, 2], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "a zero keeps",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeDynamic) {
        (_: inout Spec.ReshapeDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3, 4]),
        OperatorSample.text([3], "0 2 -1"),
      ],
      expected: [
        ReferenceTensor([3, 2, 2], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeDynamic) {
        (_: inout Spec.ReshapeDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.random([1, 4, 5, 7]),
        OperatorSample.text([2], "4 35"),
      ],
      tolerance: .exact),
    OperatorSample(
      "another count",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeDynamic) {
        (_: inout Spec.ReshapeDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2], "4 2"),
      ],
      failure: "holds 8 values",
      tolerance: .exact),
  ]
}
