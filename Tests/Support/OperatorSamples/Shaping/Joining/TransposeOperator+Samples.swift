import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension TransposeOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a matrix",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.transpose) {
        (message: inout Spec.TransposeLayerParams) -> Void in
        message.axes = [1, 0]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 3 1 4 2 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "planes to pixels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.transpose) {
        (message: inout Spec.TransposeLayerParams) -> Void in
        message.axes = [0, 2, 3, 1]
      },
      inputs: [
        OperatorSample.counting([1, 3, 2, 2])
      ],
      expected: [
        ReferenceTensor([1, 2, 2, 3], numbers: "0 4 8 1 5 9 2 6 10 3 7 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "pixels to planes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.transpose) {
        (message: inout Spec.TransposeLayerParams) -> Void in
        message.axes = [0, 3, 1, 2]
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 3])
      ],
      expected: [
        ReferenceTensor([1, 3, 2, 2], numbers: "0 3 6 9 1 4 7 10 2 5 8 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "five axes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.transpose) {
        (message: inout Spec.TransposeLayerParams) -> Void in
        message.axes = [4, 1, 3, 0, 2]
      },
      inputs: [
        OperatorSample.random([2, 3, 4, 5, 6])
      ],
      tolerance: .exact),
    OperatorSample(
      "axes from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.transpose) {
        (message: inout Spec.TransposeLayerParams) -> Void in
        message.axes = [UInt64(bitPattern: -1), 0]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 3 1 4 2 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "not a permutation",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.transpose) {
        (message: inout Spec.TransposeLayerParams) -> Void in
        message.axes = [0, 0]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "expected a permutation of 0 to 1",
      tolerance: .exact),
    OperatorSample(
      "another rank",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.transpose) {
        (message: inout Spec.TransposeLayerParams) -> Void in
        message.axes = [0, 1, 2]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "names 3 axes, but the input has 2 dimensions",
      tolerance: .exact),
  ]
}
