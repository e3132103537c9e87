import Engine
import NeuralNetworkFormat
import Operators
import Testing

@Suite("Operators without an equivalent NeuralNetwork layer")
struct UnwritableOperatorTests {
  @Test(
    "An operator without an equivalent layer is refused with the name of the option that no layer has",
    arguments: UnwritableOperator.all)
  func unwritable(test: UnwritableOperator) throws {
    var encoder = LayerEncoder(constants: [nil, nil], inputTypes: [nil, nil])
    do {
      try test.operation.encode(into: &encoder)
      Issue.record("a layer was written, expected “\(test.sentence)”")
    } catch let error as EngineError {
      #expect(error.message.contains(test.sentence))
      #expect(error.message.hasSuffix("."))
    }
  }
}

/// An operator with options that no layer of a NeuralNetwork can express.
struct UnwritableOperator: Sendable, CustomTestStringConvertible {
  let operation: any NeuralNetworkEncodable
  let sentence: String

  var testDescription: String { sentence }

  static let all: [UnwritableOperator] = [
    UnwritableOperator(operation: UnaryOperator(.inverse(epsilon: 0)), sentence: "epsilon is 0"),
    UnwritableOperator(operation: UnaryOperator(.magnitude, scale: 0), sentence: "the scale is 0"),
    UnwritableOperator(
      operation: BinaryFunctionOperator(.gate), sentence: "one input where the other is above 0"),
    UnwritableOperator(
      operation: BinaryFunctionOperator(.subtract, number: 2), sentence: "with the number 2.0"),
    UnwritableOperator(
      operation: ReduceOperator(.logOfSum, axes: [-1]), sentence: "the logarithm of the sum"),
    UnwritableOperator(
      operation: ReduceOperator(.sum, axes: [-4]), sentence: "the axes are [-4]"),
    UnwritableOperator(
      operation: ReduceAxesOperator(.indexOfMaximum, axes: [0, 1]), sentence: "[0, 1]"),
    UnwritableOperator(
      operation: ChannelActivationOperator(.pReLU),
      sentence: "the network computes the parameters"),
    UnwritableOperator(
      operation: ReorganizeDataOperator(mode: .pixelUnshuffle, blockSize: 2),
      sentence: "channel by channel"),
    UnwritableOperator(
      operation: ReorganizeDataOperator(mode: .depthToSpace, blockHeight: 1, blockWidth: 2),
      sentence: "blocks of 1 × 2 pixels"),
    UnwritableOperator(
      operation: PoolingOperator(.maximum, padding: .ceiling(height: 0, width: 0)),
      sentence: "rounds the number of windows up"),
    UnwritableOperator(
      operation: Pooling3DOperator(
        isMaximum: true, kernel: [1, 1, 2], stride: [1, 1, 1], padding: .sameLower),
      sentence: "the odd element of its padding at the start"),
    UnwritableOperator(
      operation: CropResizeOperator(height: 1, width: 1, grid: .upsample, outside: 0),
      sentence: "points outside of the picture"),
  ]
}
