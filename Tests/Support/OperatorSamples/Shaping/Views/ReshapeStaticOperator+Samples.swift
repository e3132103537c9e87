import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ReshapeStaticOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a matrix to rank three",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [3, 1, 2]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([3, 1, 2], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "an inferred extent",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [2, -1, 2]
      },
      inputs: [
        OperatorSample.counting([3, 4])
      ],
      expected: [
        ReferenceTensor([2, 3, 2], numbers: "0 1 2 3 4 5 6 7 8 9 10 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "an image to a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [-1, 35]
      },
      inputs: [
        OperatorSample.random([1, 4, 5, 7])
      ],
      tolerance: .exact),
    OperatorSample(
      "an empty tensor",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [0, 4]
      },
      inputs: [
        OperatorSample.counting([2, 0])
      ],
      expected: [
        ReferenceTensor([0, 4], numbers: "")
      ],
      tolerance: .exact),
    OperatorSample(
      "two open sizes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [-1, -1]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "holds 2 times -1",
      tolerance: .exact),
    OperatorSample(
      "an inferred extent that is not an integer",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [4, -1]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "do not divide into the target shape [4, -1]",
      tolerance: .exact),
    OperatorSample(
      "another count",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reshapeStatic) {
        (message: inout Spec.ReshapeStaticLayerParams) -> Void in
        message.targetShape = [4, 2]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "holds 8 values, but the input (2 × 3) has 6",
      tolerance: .exact),
  ]
}
