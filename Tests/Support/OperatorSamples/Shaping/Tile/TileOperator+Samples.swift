import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension TileOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "both axes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.tile) {
        (message: inout Spec.TileLayerParams) -> Void in
        message.reps = [2, 3]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor(
          [4, 9],
          numbers: """
            0 1 2 0 1 2 0 1 2 3 4 5 3 4 5 3 4 5 0 1 2 0 1 2 0 1 2 3 4 5 3 4 5 3 4 5
            """)
      ],
      tolerance: .exact),
    OperatorSample(
      "the last axis only",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.tile) {
        (message: inout Spec.TileLayerParams) -> Void in
        message.reps = [2]
      },
      inputs: [
        OperatorSample.counting([2, 2, 2])
      ],
      expected: [
        ReferenceTensor([2, 2, 4], numbers: "0 1 0 1 2 3 2 3 4 5 4 5 6 7 6 7")
      ],
      tolerance: .exact),
    OperatorSample(
      "a new axis",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.tile) {
        (message: inout Spec.TileLayerParams) -> Void in
        message.reps = [2, 1, 1]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      expected: [
        ReferenceTensor([2, 2, 3], numbers: "0 1 2 3 4 5 0 1 2 3 4 5")
      ],
      tolerance: .exact),
    OperatorSample(
      "from an input",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.tile) {
        (_: inout Spec.TileLayerParams) -> Void in
      },
      inputs: [
        OperatorSample.counting([2, 1, 2]),
        OperatorSample.text([3], "1 3 2"),
      ],
      expected: [
        ReferenceTensor([2, 3, 4], numbers: "0 1 0 1 0 1 0 1 0 1 0 1 2 3 2 3 2 3 2 3 2 3 2 3")
      ],
      tolerance: .exact),
    OperatorSample(
      "pictures",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.tile) {
        (message: inout Spec.TileLayerParams) -> Void in
        message.reps = [1, 2, 3, 1]
      },
      inputs: [
        OperatorSample.random([2, 3, 5, 7])
      ],
      tolerance: .exact),
    OperatorSample(
      "five axes",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.tile) {
        (message: inout Spec.TileLayerParams) -> Void in
        message.reps = [2, 1, 2, 1, 2]
      },
      inputs: [
        OperatorSample.random([2, 2, 3, 2, 3])
      ],
      tolerance: .exact),
    OperatorSample(
      "an empty tensor",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.tile) {
        (message: inout Spec.TileLayerParams) -> Void in
        message.reps = [2, 2]
      },
      inputs: [
        OperatorSample.counting([0, 3])
      ],
      expected: [
        ReferenceTensor([0, 6], numbers: "")
      ],
      tolerance: .exact),
    OperatorSample(
      "more elements than fit into memory",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.tile) {
        (message: inout Spec.TileLayerParams) -> Void in
        message.reps = [2000000000, 2000000000]
      },
      inputs: [
        OperatorSample.counting([2, 3])
      ],
      failure: "more than the 2147483648",
      tolerance: .exact),
  ]
}
