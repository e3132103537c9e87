import Engine
import ModelFormat
import NeuralNetworkFormat
import OperatorSamples
import Operators
import Testing

/// Tests writing operators as layers of a NeuralNetwork. The operators were read from such layers.
@Suite("An operator that was read from a layer")
struct LayerWritingTests {
  @Test(
    "An operator read from a layer writes a layer that decodes to the same operator",
    arguments: LayerCase.written)
  func wayBack(test: LayerCase) throws {
    let decoded = try test.decoded()
    let inputs: [ReferenceTensor] = test.makeInputs()
    let constants: [Constant] = decoded.constants.map(\.value)
    var encoder = LayerEncoder(
      constants: inputs.map { _ in nil } + constants,
      inputTypes: inputs.map { TensorType($0.shape) } + constants.map(\.type))
    let operation = try #require(decoded.operation as? any NeuralNetworkEncodable)
    try operation.encode(into: &encoder)
    #expect(encoder.embedded == Set(inputs.count..<inputs.count + constants.count))

    var layer: Spec.NeuralNetworkLayer = encoder.layer
    (layer.name, layer.input, layer.output) = (
      test.sample.layer.name, test.sample.layer.input, test.sample.layer.output
    )
    let catalog = OperatorCatalog.standard
    let context = NetworkContext(mapping: test.sample.mapping, catalog: catalog)
    let again = try catalog.layer(for: layer, in: context)
    let found: String = again.operation.name
    #expect(found == decoded.operation.name)
    #expect(again.makesScalar == decoded.makesScalar)
    let answers = try again.operation.reference(
      inputs + again.constants.map { try $0.value.tensor() })
    let expected = try decoded.operation.reference(inputs + constants.map { try $0.tensor() })
    #expect(answers.map(\.shape) == expected.map(\.shape))
    for (answer, known) in zip(answers, expected) {
      #expect(answer.bits == known.bits)
    }
  }
}

extension LayerCase {
  /// The cases of operators that can be written as layers.
  static let written: [LayerCase] = deterministic.filter {
    $0.sample.derived == nil && $0.type is any NeuralNetworkEncodable.Type
  }
}
