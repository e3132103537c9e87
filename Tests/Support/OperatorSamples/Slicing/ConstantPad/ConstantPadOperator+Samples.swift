import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ConstantPadOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "every side",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.constantPad) {
        (message: inout Spec.ConstantPaddingLayerParams) -> Void in
        message.value = 9
        message.padAmounts = [1, 0, 0, 2]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([3, 5], numbers: "9 9 9 9 9 0 1 2 9 9 3 4 5 9 9")
      ],
      tolerance: .exact),
    OperatorSample(
      "from an input",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.constantPad) {
        (message: inout Spec.ConstantPaddingLayerParams) -> Void in
        message.value = -1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([4], "0 1 1 0"),
      ],
      expected: [
        ReferenceTensor([3, 4], numbers: "-1 0 1 2 -1 3 4 5 -1 -1 -1 -1")
      ],
      tolerance: .exact),
    OperatorSample(
      "to a size",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.constantPad) {
        (message: inout Spec.ConstantPaddingLayerParams) -> Void in
        message.value = 7
        message.padToGivenOutputSizeMode = true
        message.padAmounts = [3, 0, 0, 5]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([3, 5], numbers: "7 7 7 7 7 0 1 2 7 7 3 4 5 7 7")
      ],
      tolerance: .exact),
    OperatorSample(
      "to a size given as an input",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.constantPad) {
        (message: inout Spec.ConstantPaddingLayerParams) -> Void in
        message.value = 7
        message.padToGivenOutputSizeMode = true
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([4], "0 0 4 0"),
      ],
      expected: [
        ReferenceTensor([2, 4], numbers: "7 0 1 2 7 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "images, padded on every axis",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.constantPad) {
        (message: inout Spec.ConstantPaddingLayerParams) -> Void in
        message.value = 0.5
        message.padAmounts = [1, 0, 0, 2, 3, 1, 2, 2]
      },
      inputs: [
        OperatorSample.random([1, 3, 5, 7])
      ],
      tolerance: .exact),
    OperatorSample(
      "an empty tensor",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.constantPad) {
        (message: inout Spec.ConstantPaddingLayerParams) -> Void in
        message.value = 2
        message.padAmounts = [1, 1, 0, 0]
      },
      inputs: [
        OperatorSample.counting([0, 2])
      ],
      expected: [
        ReferenceTensor([2, 2], numbers: "2 2 2 2")
      ],
      tolerance: .exact),
    OperatorSample(
      "too few amounts",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.constantPad) {
        (message: inout Spec.ConstantPaddingLayerParams) -> Void in
        message.padAmounts = [1, 1]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "2 amounts are given, expected 4",
      tolerance: .exact),
    OperatorSample(
      "larger already",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.constantPad) {
        (message: inout Spec.ConstantPaddingLayerParams) -> Void in
        message.padToGivenOutputSizeMode = true
        message.padAmounts = [1, 0, 0, 0]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "must be padded to 1, but has 2 already",
      tolerance: .exact),
  ]
}
