import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension StackOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "in front",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.stack) {
        (message: inout Spec.StackLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2, 3], "10 11 12 13 14 15"),
      ],
      expected: [
        ReferenceTensor([2, 2, 3], numbers: "0 1 2 3 4 5 10 11 12 13 14 15")
      ],
      tolerance: .exact),
    OperatorSample(
      "at the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.stack) {
        (message: inout Spec.StackLayerParams) -> Void in
        message.axis = -1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2, 3], "10 11 12 13 14 15"),
      ],
      expected: [
        ReferenceTensor([2, 3, 2], numbers: "0 10 1 11 2 12 3 13 4 14 5 15")
      ],
      tolerance: .exact),
    OperatorSample(
      "between, pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.stack) {
        (message: inout Spec.StackLayerParams) -> Void in
        message.axis = 1
      },
      inputs: [
        OperatorSample.random([3, 5, 7]),
        OperatorSample.random([3, 5, 7]),
        OperatorSample.random([3, 5, 7]),
      ],
      tolerance: .exact),
    OperatorSample(
      "shapes differ",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.stack) {
        (message: inout Spec.StackLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([3, 2]),
      ],
      failure: "stacked inputs must have one shape",
      tolerance: .exact),
    OperatorSample(
      "out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.stack) {
        (message: inout Spec.StackLayerParams) -> Void in
        message.axis = 3
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([2, 3]),
      ],
      failure: "axis is 3, expected -3 to 2",
      tolerance: .exact),
  ]
}
