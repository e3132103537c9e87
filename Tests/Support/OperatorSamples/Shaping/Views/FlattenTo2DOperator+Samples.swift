import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension FlattenTo2DOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "in the middle",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flattenTo2D) {
        (message: inout Spec.FlattenTo2DLayerParams) -> Void in
        message.axis = 1
      },
      inputs: [
        OperatorSample.counting([2, 3, 2])
      ],
      expected: [
        ReferenceTensor([2, 6], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flattenTo2D) {
        (message: inout Spec.FlattenTo2DLayerParams) -> Void in
        message.axis = -1
      },
      inputs: [
        OperatorSample.counting([2, 3, 2])
      ],
      expected: [
        ReferenceTensor([6, 2], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "after the last axis",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flattenTo2D) {
        (message: inout Spec.FlattenTo2DLayerParams) -> Void in
        message.axis = 3
      },
      inputs: [
        OperatorSample.counting([2, 3, 2])
      ],
      expected: [
        ReferenceTensor([12, 1], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "a vector",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flattenTo2D) {
        (_: inout Spec.FlattenTo2DLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([4])
      ],
      expected: [
        ReferenceTensor([1, 4], numbers: "0 1 2 3")
      ],
      tolerance: .exact),
    OperatorSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flattenTo2D) {
        (message: inout Spec.FlattenTo2DLayerParams) -> Void in
        message.axis = 2
      },
      inputs: [
        OperatorSample.random([2, 3, 5, 7])
      ],
      tolerance: .exact),
    OperatorSample(
      "out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.flattenTo2D) {
        (message: inout Spec.FlattenTo2DLayerParams) -> Void in
        message.axis = 4
      },
      inputs: [
        OperatorSample.counting([2, 3, 2])
      ],
      failure: "axis is 4, expected -3 to 3",
      tolerance: .exact),
  ]
}
