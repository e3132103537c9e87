import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension SqueezeOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "axes by number",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.squeeze) {
        (message: inout Spec.SqueezeLayerParams) -> Void in
        message.axes = [0, 2]
      },
      inputs: [
        OperatorSample.counting([1, 2, 1, 3])
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "axes from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.squeeze) {
        (message: inout Spec.SqueezeLayerParams) -> Void in
        message.axes = [-1, -2]
      },
      inputs: [
        OperatorSample.counting([2, 3, 1, 1])
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "all of them",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.squeeze) {
        (message: inout Spec.SqueezeLayerParams) -> Void in
        message.squeezeAll = true
      },
      inputs: [
        OperatorSample.counting([1, 2, 1, 3])
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "all axes of extent one by default",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.squeeze) {
        (_: inout Spec.SqueezeLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([3, 1, 2])
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "one axis stays",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.squeeze) {
        (message: inout Spec.SqueezeLayerParams) -> Void in
        message.axes = [0]
      },
      inputs: [
        OperatorSample.counting([1])
      ],
      expected: [
        ReferenceTensor([1], numbers: "0")
      ],
      tolerance: .exact),
    OperatorSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.squeeze) {
        (message: inout Spec.SqueezeLayerParams) -> Void in
        message.axes = [0]
      },
      inputs: [
        OperatorSample.random([1, 3, 5, 7])
      ],
      tolerance: .exact),
    OperatorSample(
      "an axis with an extent other than one",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.squeeze) {
        (message: inout Spec.SqueezeLayerParams) -> Void in
        message.axes = [1]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "has the extent 3, only 1 can be removed",
      tolerance: .exact),
    OperatorSample(
      "out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.squeeze) {
        (message: inout Spec.SqueezeLayerParams) -> Void in
        message.axes = [2]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "axes is 2, expected -2 to 1",
      tolerance: .exact),
  ]
}
