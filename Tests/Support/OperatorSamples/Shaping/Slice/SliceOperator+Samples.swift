import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension SliceOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .channelAxis
        message.startIndex = 1
        message.endIndex = 3
        message.stride = 1
      },
      inputs: [
        OperatorSample.counting([4, 2, 3])
      ],
      expected: [
        ReferenceTensor([2, 2, 3], numbers: "6 7 8 9 10 11 12 13 14 15 16 17")
      ],
      tolerance: .exact),
    OperatorSample(
      "rows up to the last but one, every second",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .heightAxis
        message.startIndex = 1
        message.endIndex = -1
        message.stride = 2
      },
      inputs: [
        OperatorSample.counting([1, 6, 2])
      ],
      expected: [
        ReferenceTensor([1, 2, 2], numbers: "2 3 6 7")
      ],
      tolerance: .exact),
    OperatorSample(
      "columns, every third",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .widthAxis
        message.startIndex = 0
        message.endIndex = 100
        message.stride = 3
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([1, 1, 1, 2, 8])
      ],
      expected: [
        ReferenceTensor([1, 1, 1, 2, 3], numbers: "0 3 6 8 11 14")
      ],
      tolerance: .exact),
    OperatorSample(
      "a negative start",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .widthAxis
        message.startIndex = -2
        message.endIndex = 9223372036854775807
        message.stride = 1
      },
      inputs: [
        OperatorSample.counting([5])
      ],
      expected: [
        ReferenceTensor([2], numbers: "3 4")
      ],
      tolerance: .exact),
    OperatorSample(
      "nothing left",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .widthAxis
        message.startIndex = 4
        message.endIndex = 2
        message.stride = 1
      },
      inputs: [
        OperatorSample.counting([2, 5])
      ],
      expected: [
        ReferenceTensor([2, 0], numbers: "")
      ],
      tolerance: .exact),
    OperatorSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .heightAxis
        message.startIndex = 5
        message.endIndex = -4
        message.stride = 3
      },
      inputs: [
        OperatorSample.random([1, 8, 50, 31])
      ],
      tolerance: .exact),
    OperatorSample(
      "no step",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .widthAxis
        message.endIndex = 2
      },
      inputs: [
        OperatorSample.counting([5])
      ],
      failure: "stride is 0",
      tolerance: .exact),
    OperatorSample(
      "no channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .channelAxis
        message.endIndex = 1
        message.stride = 1
      },
      inputs: [
        OperatorSample.counting([2, 5])
      ],
      failure: "expected at least 3",
      tolerance: .exact),
  ]
}
