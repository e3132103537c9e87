import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ExpandDimsOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "in front",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [0, 1]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([1, 1, 2, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "between",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [0, 2]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([1, 2, 1, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "at the end, from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [-2, -1]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([2, 3, 1, 1], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [0]
      },
      inputs: [
        OperatorSample.random([3, 5, 7])
      ],
      tolerance: .exact),
    OperatorSample(
      "twice the same",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [0, -4]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "expected different axes of an output of 4 dimensions",
      tolerance: .exact),
    OperatorSample(
      "out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.expandDims) {
        (message: inout Spec.ExpandDimsLayerParams) -> Void in
        message.axes = [4]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "expected different axes of an output of 3 dimensions",
      tolerance: .exact),
  ]
}
