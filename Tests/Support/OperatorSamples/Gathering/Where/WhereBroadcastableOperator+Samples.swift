import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension WhereBroadcastableOperator: SampledOperator {
  public static var samples: [OperatorSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "one shape",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereBroadcastable) {
        (_: inout Spec.WhereBroadcastableLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.text([2, 3], "0 2 0 -1 0 3"),
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2, 3], "0 -1 -2 -3 -4 -5"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 -2 3 -4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "everything stretches",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereBroadcastable) {
        (_: inout Spec.WhereBroadcastableLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.text([2, 1], "1 0"),
        OperatorSample.counting([3]),
        OperatorSample.text([2, 1, 1], "10 20"),
      ],
      expected: [
        ReferenceTensor([2, 2, 3], numbers: "0 1 2 10 10 10 0 1 2 20 20 20")
      ],
      tolerance: .exact),
    OperatorSample(
      "incompatible shapes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereBroadcastable) {
        (_: inout Spec.WhereBroadcastableLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2]),
        OperatorSample.counting([3]),
        OperatorSample.counting([1]),
      ],
      failure: "do not broadcast",
      tolerance: .exact),
  ]
}
