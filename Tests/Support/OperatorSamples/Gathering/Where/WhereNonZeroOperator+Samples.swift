import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension WhereNonZeroOperator: SampledOperator {
  public static var samples: [OperatorSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereNonZero) {
        (_: inout Spec.WhereNonZeroLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.text([2, 3], "0 2 0 -1 0 3")
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 1 0 1 2")
      ],
      tolerance: .exact),
    OperatorSample(
      "a vector",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereNonZero) {
        (_: inout Spec.WhereNonZeroLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.text([3], "0 0 5")
      ],
      expected: [
        ReferenceTensor([1, 1], numbers: "2")
      ],
      tolerance: .exact),
    OperatorSample(
      "nothing found",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.whereNonZero) {
        (_: inout Spec.WhereNonZeroLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.text([2], "0 0")
      ],
      expected: [
        ReferenceTensor([0, 1], numbers: "")
      ],
      tolerance: .exact),
  ]
}
