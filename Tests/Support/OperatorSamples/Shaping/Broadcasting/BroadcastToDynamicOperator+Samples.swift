import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension BroadcastToDynamicOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "rows repeat",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToDynamic) {
        (_: inout Spec.BroadcastToDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([1, 3]),
        OperatorSample.text([2], "2 3"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 0 1 2")
      ],
      tolerance: .exact),
    OperatorSample(
      "pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToDynamic) {
        (_: inout Spec.BroadcastToDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.random([5, 1, 1]),
        OperatorSample.text([4], "2 5 3 4"),
      ],
      tolerance: .exact),
    OperatorSample(
      "does not fit",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToDynamic) {
        (_: inout Spec.BroadcastToDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3]),
        OperatorSample.text([2], "2 2"),
      ],
      failure: "does not broadcast to 2 × 2",
      tolerance: .exact),
    OperatorSample(
      "a negative size",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.broadcastToDynamic) {
        (_: inout Spec.BroadcastToDynamicLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3]),
        OperatorSample.text([2], "-2 3"),
      ],
      failure: "an extent of -2",
      tolerance: .exact),
  ]
}
