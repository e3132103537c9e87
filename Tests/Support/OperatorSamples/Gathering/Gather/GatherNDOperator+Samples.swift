import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension GatherNDOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    knownSamples + wideSamples + ruledSamples
  }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "elements",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gatherND) {
        (_: inout Spec.GatherNDLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2, 2], "1 0 0 -1"),
      ],
      expected: [
        ReferenceTensor([2], numbers: "3 2")
      ],
      tolerance: .exact),
    OperatorSample(
      "rows",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gatherND) {
        (_: inout Spec.GatherNDLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([2, 1], "2 0"),
      ],
      expected: [
        ReferenceTensor([2, 2], numbers: "4 5 0 1")
      ],
      tolerance: .exact),
    OperatorSample(
      "slices, indices of rank three",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gatherND) {
        (_: inout Spec.GatherNDLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 2, 3]),
        OperatorSample.text([2, 1, 2], "1 0 0 1"),
      ],
      expected: [
        ReferenceTensor([2, 1, 3], numbers: "6 7 8 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "one element",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gatherND) {
        (_: inout Spec.GatherNDLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2], "1 2"),
      ],
      expected: [
        ReferenceTensor([1], numbers: "5")
      ],
      tolerance: .exact),
    OperatorSample(
      "an index out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gatherND) {
        (_: inout Spec.GatherNDLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([1, 2], "0 3"),
      ],
      failure: "index 3 does not exist on axis 1",
      tolerance: .exact),
    OperatorSample(
      "too many axes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gatherND) {
        (_: inout Spec.GatherNDLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([1, 3], "0 0 0"),
      ],
      failure: "name 3 axes, but the first input (2 × 3) has 2",
      tolerance: .exact),
  ]
}
