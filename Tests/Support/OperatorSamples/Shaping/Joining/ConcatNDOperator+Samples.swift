import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ConcatNDOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "rows",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concatND) {
        (message: inout Spec.ConcatNDLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([1, 3]),
      ],
      expected: [
        ReferenceTensor([3, 3], numbers: "0 1 2 3 4 5 0 1 2")
      ],
      tolerance: .exact),
    OperatorSample(
      "columns, from the end",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concatND) {
        (message: inout Spec.ConcatNDLayerParams) -> Void in
        message.axis = -1
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([2, 2]),
      ],
      expected: [
        ReferenceTensor([2, 5], numbers: "0 1 2 0 1 3 4 5 2 3")
      ],
      tolerance: .exact),
    OperatorSample(
      "interleaved",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concatND) {
        (message: inout Spec.ConcatNDLayerParams) -> Void in
        message.axis = 1
        message.interleave = true
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.text([2, 3], "10 11 12 13 14 15"),
      ],
      expected: [
        ReferenceTensor([2, 6], numbers: "0 10 1 11 2 12 3 13 4 14 5 15")
      ],
      tolerance: .exact),
    OperatorSample(
      "pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concatND) {
        (message: inout Spec.ConcatNDLayerParams) -> Void in
        message.axis = 2
      },
      inputs: [
        OperatorSample.random([1, 3, 5, 7]),
        OperatorSample.random([1, 3, 2, 7]),
      ],
      tolerance: .exact),
    OperatorSample(
      "interleaved channels of images",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concatND) {
        (message: inout Spec.ConcatNDLayerParams) -> Void in
        message.axis = 1
        message.interleave = true
      },
      inputs: [
        OperatorSample.random([1, 3, 5, 7]),
        OperatorSample.random([1, 3, 5, 7]),
        OperatorSample.random([1, 3, 5, 7]),
      ],
      tolerance: .exact),
    OperatorSample(
      "an empty tensor",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concatND) {
        (message: inout Spec.ConcatNDLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([0, 3]),
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "one input",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concatND) {
        (message: inout Spec.ConcatNDLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([2, 3], numbers: "0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "columns differ",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concatND) {
        (message: inout Spec.ConcatNDLayerParams) -> Void in
        message.axis = 0
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([1, 2]),
      ],
      failure: "input 2 is 1 × 2, which does not join 2 × 3 along axis 0",
      tolerance: .exact),
    OperatorSample(
      "interleaved, sizes differ",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concatND) {
        (message: inout Spec.ConcatNDLayerParams) -> Void in
        message.axis = 0
        message.interleave = true
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([1, 3]),
      ],
      failure: "interleaved inputs must have one shape",
      tolerance: .exact),
    OperatorSample(
      "out of range",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concatND) {
        (message: inout Spec.ConcatNDLayerParams) -> Void in
        message.axis = 2
      },
      inputs: [
        OperatorSample.counting([2, 3]),
        OperatorSample.counting([2, 3]),
      ],
      failure: "axis is 2, expected -2 to 1",
      tolerance: .exact),
  ]
}
