import Engine
import ModelFormat

extension ConcatLayer {
  // Expected values were computed by NumPy.
  public static let samples: [LayerSample] = [
    LayerSample(
      "channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (_: inout Spec.ConcatLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([1, 2, 2, 2]),
        LayerSample.text([1, 1, 2, 2], "100 101 102 103"),
      ],
      expected: [
        ReferenceTensor([1, 3, 2, 2], numbers: "0 1 2 3 4 5 6 7 100 101 102 103")
      ],
      tolerance: .exact),
    LayerSample(
      "channels of a batch of two, three inputs",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (_: inout Spec.ConcatLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([2, 1, 1, 3]),
        LayerSample.counting([2, 2, 1, 3]),
        LayerSample.counting([2, 1, 1, 3]),
      ],
      expected: [
        ReferenceTensor([2, 4, 1, 3], numbers: "0 1 2 0 1 2 3 4 5 0 1 2 3 4 5 6 7 8 9 10 11 3 4 5")
      ],
      tolerance: .exact),
    LayerSample(
      "sequences",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (message: inout Spec.ConcatLayerParams) -> Void in
        message.sequenceConcat = true
      },
      mapping: .rank5,
      inputs: [
        LayerSample.counting([1, 1, 2, 1, 2]),
        LayerSample.counting([2, 1, 2, 1, 2]),
      ],
      expected: [
        ReferenceTensor([3, 1, 2, 1, 2], numbers: "0 1 2 3 0 1 2 3 4 5 6 7")
      ],
      tolerance: .exact),
    LayerSample(
      "a fire module of SqueezeNet",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (_: inout Spec.ConcatLayerParams) -> Void in
      },
      inputs: [
        LayerSample.random([1, 64, 13, 13]),
        LayerSample.random([1, 64, 13, 13]),
      ],
      tolerance: .exact),
    LayerSample(
      "odd sizes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (_: inout Spec.ConcatLayerParams) -> Void in
      },
      mapping: .rank5,
      inputs: [
        LayerSample.random([1, 1, 3, 17, 5]),
        LayerSample.random([1, 1, 7, 17, 5]),
        LayerSample.random([1, 1, 1, 17, 5]),
      ],
      tolerance: .exact),
    LayerSample(
      "different rows",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (_: inout Spec.ConcatLayerParams) -> Void in
      },
      inputs: [
        LayerSample.counting([1, 2, 2, 2]),
        LayerSample.counting([1, 2, 3, 2]),
      ],
      failure: "does not join 1 × 2 × 2 × 2 along axis 1",
      tolerance: .exact),
    LayerSample(
      "no sequence axis",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (message: inout Spec.ConcatLayerParams) -> Void in
        message.sequenceConcat = true
      },
      inputs: [
        LayerSample.counting([1, 2, 2, 2]),
        LayerSample.counting([1, 2, 2, 2]),
      ],
      failure: "expected at least 5",
      tolerance: .exact),
  ]
}
