import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ConcatOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (_: inout Spec.ConcatLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 2]),
        OperatorSample.text([1, 1, 2, 2], "100 101 102 103"),
      ],
      expected: [
        ReferenceTensor([1, 3, 2, 2], numbers: "0 1 2 3 4 5 6 7 100 101 102 103")
      ],
      tolerance: .exact),
    OperatorSample(
      "channels of a batch of two, three inputs",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (_: inout Spec.ConcatLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 1, 1, 3]),
        OperatorSample.counting([2, 2, 1, 3]),
        OperatorSample.counting([2, 1, 1, 3]),
      ],
      expected: [
        ReferenceTensor([2, 4, 1, 3], numbers: "0 1 2 0 1 2 3 4 5 0 1 2 3 4 5 6 7 8 9 10 11 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "sequences",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (message: inout Spec.ConcatLayerParams) -> Void in
        message.sequenceConcat = true
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.counting([1, 1, 2, 1, 2]),
        OperatorSample.counting([2, 1, 2, 1, 2]),
      ],
      expected: [
        ReferenceTensor([3, 1, 2, 1, 2], numbers: "0 1 2 3 0 1 2 3 4 5 6 7")
      ],
      tolerance: .exact),
    OperatorSample(
      "a fire module of SqueezeNet",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (_: inout Spec.ConcatLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.random([1, 64, 13, 13]),
        OperatorSample.random([1, 64, 13, 13]),
      ],
      tolerance: .exact),
    OperatorSample(
      "odd sizes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (_: inout Spec.ConcatLayerParams) -> Void in
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.random([1, 1, 3, 17, 5]),
        OperatorSample.random([1, 1, 7, 17, 5]),
        OperatorSample.random([1, 1, 1, 17, 5]),
      ],
      tolerance: .exact),
    OperatorSample(
      "different rows",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (_: inout Spec.ConcatLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 2]),
        OperatorSample.counting([1, 2, 3, 2]),
      ],
      failure: "does not join 1 × 2 × 2 × 2 along axis 1",
      tolerance: .exact),
    OperatorSample(
      "no sequence axis",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.concat) {
        (message: inout Spec.ConcatLayerParams) -> Void in
        message.sequenceConcat = true
      },
      inputs: [
        OperatorSample.counting([1, 2, 2, 2]),
        OperatorSample.counting([1, 2, 2, 2]),
      ],
      failure: "expected at least 5",
      tolerance: .exact),
  ]
}
