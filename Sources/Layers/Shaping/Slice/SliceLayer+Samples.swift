import Engine
import ModelFormat

extension SliceLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .channelAxis
        message.startIndex = 1
        message.endIndex = 3
        message.stride = 1
      },
      inputs: [
        LayerSample.counting([4, 2, 3])
      ],
      expected: [
        ReferenceTensor([2, 2, 3], numbers: "6 7 8 9 10 11 12 13 14 15 16 17")
      ],
      tolerance: .exact),
    LayerSample(
      "rows up to the last but one, every second",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .heightAxis
        message.startIndex = 1
        message.endIndex = -1
        message.stride = 2
      },
      inputs: [
        LayerSample.counting([1, 6, 2])
      ],
      expected: [
        ReferenceTensor([1, 2, 2], numbers: "2 3 6 7")
      ],
      tolerance: .exact),
    LayerSample(
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
        LayerSample.counting([1, 1, 1, 2, 8])
      ],
      expected: [
        ReferenceTensor([1, 1, 1, 2, 3], numbers: "0 3 6 8 11 14")
      ],
      tolerance: .exact),
    LayerSample(
      "a negative start",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .widthAxis
        message.startIndex = -2
        message.endIndex = 9223372036854775807
        message.stride = 1
      },
      inputs: [
        LayerSample.counting([5])
      ],
      expected: [
        ReferenceTensor([2], numbers: "3 4")
      ],
      tolerance: .exact),
    LayerSample(
      "nothing left",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .widthAxis
        message.startIndex = 4
        message.endIndex = 2
        message.stride = 1
      },
      inputs: [
        LayerSample.counting([2, 5])
      ],
      expected: [
        ReferenceTensor([2, 0], numbers: "")
      ],
      tolerance: .exact),
    LayerSample(
      "a picture",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .heightAxis
        message.startIndex = 5
        message.endIndex = -4
        message.stride = 3
      },
      inputs: [
        LayerSample.random([1, 8, 50, 31])
      ],
      tolerance: .exact),
    LayerSample(
      "no step",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .widthAxis
        message.endIndex = 2
      },
      inputs: [
        LayerSample.counting([5])
      ],
      failure: "stride is 0",
      tolerance: .exact),
    LayerSample(
      "no channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.slice) {
        (message: inout Spec.SliceLayerParams) -> Void in
        message.axis = .channelAxis
        message.endIndex = 1
        message.stride = 1
      },
      inputs: [
        LayerSample.counting([2, 5])
      ],
      failure: "expected at least 3",
      tolerance: .exact),
  ]
}
