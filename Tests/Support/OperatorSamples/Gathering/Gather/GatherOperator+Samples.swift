import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension GatherOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    knownSamples + wideSamples + ruledSamples
  }

  // Expected values were computed by NumPy.
  private static let knownSamples: [OperatorSample] = [
    OperatorSample(
      "rows",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([3], "2 0 -1"),
      ],
      expected: [
        ReferenceTensor([3, 2], numbers: "4 5 0 1 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "columns, a matrix of indices",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = -1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2, 2], "0 -1 1 1"),
      ],
      expected: [
        ReferenceTensor([2, 2, 2], numbers: "0 2 1 1 3 5 4 4")
      ],
      tolerance: .exact),
    OperatorSample(
      "the middle axis",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 1
      },
      inputs: [
        OperatorSample.counting([2, 3, 2]),
        OperatorSample.text([2], "2 2"),
      ],
      expected: [
        ReferenceTensor([2, 2, 2], numbers: "4 5 4 5 10 11 10 11")
      ],
      tolerance: .exact),
    OperatorSample(
      "a table of vectors",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        OperatorSample.random([37, 19]),
        OperatorSample.text([6], "36 0 17 17 -37 5"),
      ],
      tolerance: .exact),
    OperatorSample(
      "no indices",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.counting([0]),
      ],
      expected: [
        ReferenceTensor([0, 2], numbers: "")
      ],
      tolerance: .exact),
    OperatorSample(
      "an index out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.text([1], "3"),
      ],
      failure: "index 3 does not exist on axis 0, expected -3 to 2",
      tolerance: .exact),
    OperatorSample(
      "out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.gather) {
        (message: inout Spec.GatherLayerParams) -> Void in
        message.axis = 2
      },
      inputs: [
        OperatorSample.counting([3, 2]),
        OperatorSample.counting([1]),
      ],
      failure: "axis is 2, expected -2 to 1",
      tolerance: .exact),
  ]
}
