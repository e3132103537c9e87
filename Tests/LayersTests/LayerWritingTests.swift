import Engine
import ModelFormat
import Operators
import Testing

@Suite("Layers written from operators")
struct LayerWritingTests {
  @Test("compute what the operators compute", arguments: LayerCase.writable)
  func roundTrip(test: LayerCase) throws {
    let prepared = try PreparedCase.of(test)
    let decoded = try test.decoded()
    let given: Int = test.sample.inputs.count
    let operation = try #require(decoded.operation as? any NeuralNetworkEncodable)
    var encoder = LayerEncoder(
      constants: [Constant?](repeating: nil, count: given) + decoded.constants.map(\.value),
      inputTypes: prepared.inputs.map { TensorType($0.shape) })
    try operation.encode(into: &encoder)
    #expect(encoder.embedded.allSatisfy { $0 >= given })

    var message: Spec.NeuralNetworkLayer = encoder.layer
    (message.name, message.input, message.output) = (
      "written", test.sample.layer.input, test.sample.layer.output
    )
    let again = try OperatorCatalog.standard.layer(
      for: message, in: NetworkContext(mapping: test.sample.mapping, catalog: .standard))
    let inputs = try test.makeInputs() + again.constants.map { try $0.value.tensor() }
    let answers = try again.operation.reference(inputs)
    #expect(again.operation.name == decoded.operation.name)
    #expect(answers.map(\.shape) == prepared.answers.map(\.shape))
    #expect(answers.map(bits) == prepared.answers.map(bits))
  }

  private func bits(_ tensor: ReferenceTensor) -> [UInt64] { tensor.values.map(\.bitPattern) }

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

extension LayerCase {
  /// Those whose operators can be written as layers again.
  static let writable: [LayerCase] = deterministic.filter { test in
    test.sample.derived == nil
      && (try? test.makeLayer()).map { $0 is any NeuralNetworkEncodable } == true
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
