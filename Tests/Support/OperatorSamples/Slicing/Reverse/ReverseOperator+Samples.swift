import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ReverseOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "both axes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [true, true]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "5 4 3 2 1 0")
      ],
      tolerance: .exact),
    OperatorSample(
      "columns",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [false, true]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "2 1 0 5 4 3")
      ],
      tolerance: .exact),
    OperatorSample(
      "an image flipped vertically",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [false, false, true, false]
      },
      inputs: [
        OperatorSample.random([1, 5, 7, 9])
      ],
      tolerance: .exact),
    OperatorSample(
      "channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [false, true, false, false]
      },
      inputs: [
        OperatorSample.random([2, 3, 4, 5])
      ],
      tolerance: .exact),
    OperatorSample(
      "an empty tensor",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [true, true]
      },
      inputs: [
        OperatorSample.counting([0, 3])
      ],
      expected: [
        ReferenceTensor([0, 3], numbers: "")
      ],
      tolerance: .exact),
    OperatorSample(
      "another rank",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reverse) {
        (message: inout Spec.ReverseLayerParams) -> Void in
        message.reverseDim = [true]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "reverseDim names 1 axes",
      tolerance: .exact),
  ]
}
