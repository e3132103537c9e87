import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension GatherAlongAxisOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    knownSamples + wideSamples + ruledSamples
  }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "columns",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gatherAlongAxis) {
        (message: inout Spec.GatherAlongAxisLayerParams) -> Void in
        message.axis = 1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2, 2], "0 -1 2 2"),
      ],
      expected: [
        ReferenceTensor([2, 2], numbers: "0 2 5 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "rows, from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gatherAlongAxis) {
        (message: inout Spec.GatherAlongAxisLayerParams) -> Void in
        message.axis = -2
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([1, 2], "2 0"),
      ],
      expected: [
        ReferenceTensor([1, 2], numbers: "4 1")
      ],
      tolerance: .exact),
    OperatorSample(
      "rows differ",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gatherAlongAxis) {
        (message: inout Spec.GatherAlongAxisLayerParams) -> Void in
        message.axis = 1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([1, 1]),
      ],
      failure: "expected the shape of the first input (2 × 3) except for axis 1",
      tolerance: .exact),
    OperatorSample(
      "an index out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gatherAlongAxis) {
        (message: inout Spec.GatherAlongAxisLayerParams) -> Void in
        message.axis = 1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2, 1], "3 0"),
      ],
      failure: "index 3 does not exist on axis 1",
      tolerance: .exact),
  ]
}
