import Engine
import NeuralNetworkFormat
import Operators
import Testing

@Suite("Operators that no layer stands for")
struct UnwritableOperatorTests {
  @Test("say in a sentence what no layer says", arguments: UnwritableOperator.all)
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

/// An operator with options that no layer of a NeuralNetwork has.
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
      operation: ReduceAxesOperator(.positionOfMaximum, axes: [0, 1]), sentence: "[0, 1]"),
    UnwritableOperator(
      operation: ChannelActivationOperator(.pReLU),
      sentence: "the parameters are computed by the network"),
  ]
}
