import Engine
import ModelFormat
import NeuralNetworkFormat
import Operators
import Testing

/// Operators written as layers of a NeuralNetwork, and read again.
@Suite("Every layer, written and read again")
struct LayerWritingTests {
  /// The samples whose operator a layer can stand for.
  private static let written: [LayerCase] = LayerCase.good.filter { test in
    guard test.sample.derived == nil, let decoded = try? test.decoded() else { return false }
    return decoded.operation is any NeuralNetworkEncodable && !decoded.isConstant
      && !(decoded.operation is any ControlFlowOperator)
  }

  @Test("is the same operator with the same weights", arguments: written)
  func roundTrip(test: LayerCase) throws {
    let decoded = try test.decoded()
    let operation = try #require(decoded.operation as? any NeuralNetworkEncodable)
    // What a layer read as values and not as weights stays an input.
    var constants: [Constant?] = test.sample.inputs.map { _ in nil }
    constants += decoded.constants.map(\.value)
    let types: [TensorType] =
      test.sample.inputs.map { TensorType($0.shape) } + decoded.constants.map(\.value.type)
    var encoder = LayerEncoder(constants: constants, inputTypes: types)
    try operation.encode(into: &encoder)
    let given = test.sample.inputs.count
    #expect(encoder.embedded.sorted() == Array(given..<constants.count))
    var layer = encoder.layer
    (layer.name, layer.input, layer.output) = (
      test.sample.layer.name, test.sample.layer.input, test.sample.layer.output
    )
    let network = NetworkContext(mapping: test.sample.mapping, catalog: .standard)
    let again = try OperatorCatalog.standard.layer(for: layer, in: network)
    #expect("\(again.operation)" == "\(decoded.operation)")
    #expect(
      try again.constants.map { try $0.value.tensor() }
        == decoded.constants.map { try $0.value.tensor() })
  }

  @Test("is a constant again", arguments: [[], [3], [2, 0], [1, 1, 2, 3, 4]] as [Shape])
  func constants(shape: Shape) throws {
    let constant = Constant(ReferenceTensor(shape) { Double($0.reduce(7, +)) })
    var layer = try Spec.NeuralNetworkLayer(loading: constant)
    (layer.name, layer.output) = ("k", ["k"])
    let network = NetworkContext(mapping: .exact, catalog: .standard)
    let again = try OperatorCatalog.standard.layer(for: layer, in: network)
    #expect(again.isConstant)
    #expect(try again.constants.map { try $0.value.tensor() } == [constant.tensor()])
  }
}
