import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension OneHotOperator: SampledOperator {
  public static var samples: [OperatorSample] { knownSamples + wideSamples }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "at the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.oneHot) {
        (message: inout Spec.OneHotLayerParams) -> Void in
        message.onValue = 1
        message.oneHotVectorSize = 4
        message.axis = -1
      },
      inputs: [
        OperatorSample.text([3], "1 3 0")
      ],
      expected: [
        ReferenceTensor([3, 4], numbers: "0 1 0 0 0 0 0 1 1 0 0 0")
      ],
      tolerance: .exact),
    OperatorSample(
      "in front, other values",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.oneHot) {
        (message: inout Spec.OneHotLayerParams) -> Void in
        message.onValue = 30
        message.offValue = -4
        message.oneHotVectorSize = 3
        message.axis = 0
      },
      inputs: [
        OperatorSample.text([2, 2], "1 2 0 5")
      ],
      expected: [
        ReferenceTensor([3, 2, 2], numbers: "-4 -4 30 -4 30 -4 -4 -4 -4 30 -4 -4")
      ],
      tolerance: .exact),
    OperatorSample(
      "a middle axis, counted from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.oneHot) {
        (message: inout Spec.OneHotLayerParams) -> Void in
        message.onValue = 1
        message.oneHotVectorSize = 2
        message.axis = -2
      },
      inputs: [
        OperatorSample.text([2, 2], "1 0 0 -1")
      ],
      expected: [
        ReferenceTensor([2, 2, 2], numbers: "0 1 1 0 1 0 0 0")
      ],
      tolerance: .exact),
    OperatorSample(
      "the length from an input",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.oneHot) {
        (message: inout Spec.OneHotLayerParams) -> Void in
        message.onValue = 1
        message.axis = 1
      },
      inputs: [
        OperatorSample.text([2], "1 0"),
        OperatorSample.text([1], "3"),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 0 1 0 0")
      ],
      tolerance: .exact),
    OperatorSample(
      "out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.oneHot) {
        (message: inout Spec.OneHotLayerParams) -> Void in
        message.onValue = 1
        message.oneHotVectorSize = 2
        message.axis = 2
      },
      inputs: [
        OperatorSample.text([1], "1")
      ],
      failure: "axis is 2, expected -2 to 1",
      tolerance: .exact),
  ]
}
