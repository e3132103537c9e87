import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ReorganizeDataOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "pixels become channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reorganizeData) {
        (message: inout Spec.ReorganizeDataLayerParams) -> Void in
        message.mode = .spaceToDepth
        message.blockSize = 2
      },
      inputs: [
        OperatorSample.counting([2, 4, 2])
      ],
      expected: [
        ReferenceTensor([8, 2, 1], numbers: "0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15")
      ],
      tolerance: .exact),
    OperatorSample(
      "channels become pixels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reorganizeData) {
        (message: inout Spec.ReorganizeDataLayerParams) -> Void in
        message.mode = .depthToSpace
        message.blockSize = 2
      },
      inputs: [
        OperatorSample.counting([1, 8, 1, 2])
      ],
      expected: [
        ReferenceTensor([1, 2, 2, 4], numbers: "0 4 1 5 8 12 9 13 2 6 3 7 10 14 11 15")
      ],
      tolerance: .exact),
    OperatorSample(
      "pixel shuffle",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reorganizeData) {
        (message: inout Spec.ReorganizeDataLayerParams) -> Void in
        message.mode = .pixelShuffle
        message.blockSize = 2
      },
      inputs: [
        OperatorSample.counting([1, 8, 1, 2])
      ],
      expected: [
        ReferenceTensor([1, 2, 2, 4], numbers: "0 2 1 3 4 6 5 7 8 10 9 11 12 14 13 15")
      ],
      tolerance: .exact),
    OperatorSample(
      "blocks of three, rank five",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reorganizeData) {
        (message: inout Spec.ReorganizeDataLayerParams) -> Void in
        message.mode = .depthToSpace
        message.blockSize = 3
      },
      mapping: .rank5,
      inputs: [
        OperatorSample.random([1, 2, 18, 5, 3])
      ],
      tolerance: .exact),
    OperatorSample(
      "blocks of three, pixel shuffle",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reorganizeData) {
        (message: inout Spec.ReorganizeDataLayerParams) -> Void in
        message.mode = .pixelShuffle
        message.blockSize = 3
      },
      inputs: [
        OperatorSample.random([2, 18, 5, 3])
      ],
      tolerance: .exact),
    OperatorSample(
      "blocks of three, pixels become channels",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reorganizeData) {
        (message: inout Spec.ReorganizeDataLayerParams) -> Void in
        message.mode = .spaceToDepth
        message.blockSize = 3
      },
      inputs: [
        OperatorSample.random([2, 5, 9, 6])
      ],
      tolerance: .exact),
    OperatorSample(
      "pixel unshuffle",
      derived: ReorganizeDataOperator(mode: .pixelUnshuffle, blockSize: 2),
      inputs: [([1, 2, 2, 4], .values((0..<16).map(Double.init)))],
      expected: [
        ReferenceTensor([1, 8, 1, 2], numbers: "0 2 1 3 4 6 5 7 8 10 9 11 12 14 13 15")
      ],
      tolerance: .exact),
    OperatorSample(
      "blocks of two rows and three columns",
      derived: ReorganizeDataOperator(mode: .spaceToDepth, blockHeight: 2, blockWidth: 3),
      inputs: [([1, 1, 2, 6], .values((0..<12).map(Double.init)))],
      expected: [ReferenceTensor([1, 6, 1, 2], numbers: "0 3 1 4 2 5 6 9 7 10 8 11")],
      tolerance: .exact),
    OperatorSample(
      "wide blocks, many channels",
      derived: ReorganizeDataOperator(mode: .depthToSpace, blockHeight: 1, blockWidth: 3),
      inputs: [([2, 21, 4, 5], .uniform(-1...1))], tolerance: .exact),
    OperatorSample(
      "high blocks unshuffled",
      derived: ReorganizeDataOperator(mode: .pixelUnshuffle, blockHeight: 3, blockWidth: 2),
      inputs: [([2, 3, 6, 4], .uniform(-1...1))], tolerance: .exact),
    OperatorSample(
      "no block",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reorganizeData) {
        (message: inout Spec.ReorganizeDataLayerParams) -> Void in
        message.blockSize = 1
      },
      inputs: [
        OperatorSample.counting([1, 4, 4])
      ],
      failure: "blockSize is 1, expected 2",
      tolerance: .exact),
    OperatorSample(
      "rows that do not divide",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reorganizeData) {
        (message: inout Spec.ReorganizeDataLayerParams) -> Void in
        message.blockSize = 2
      },
      inputs: [
        OperatorSample.counting([1, 3, 4])
      ],
      failure: "does not divide into blocks of 2 × 2",
      tolerance: .exact),
    OperatorSample(
      "channels that do not divide",
      Spec.NeuralNetworkLayer(Spec.NeuralNetworkLayer.OneOfLayer.reorganizeData) {
        (message: inout Spec.ReorganizeDataLayerParams) -> Void in
        message.mode = .pixelShuffle
        message.blockSize = 2
      },
      inputs: [
        OperatorSample.counting([6, 1, 1])
      ],
      failure: "do not divide by 4",
      tolerance: .exact),
  ]
}
