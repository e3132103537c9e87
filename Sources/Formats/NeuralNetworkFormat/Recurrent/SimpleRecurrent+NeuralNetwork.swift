import Graph
import ModelFormat
import Operators

extension LayerReader {
  static let simpleRecurrent = LayerReader("simpleRecurrent", SimpleRecurrentOperator.self) {
    decoder in
    guard case .simpleRecurrent(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let sizes = try decoder.recurrentSizes(message.inputVectorSize, message.outputVectorSize)
    let gate = GateMessage(
      name: "", matrix: message.weightMatrix, recursion: message.recursionMatrix,
      bias: message.biasVector)
    let constants = try decoder.gates([gate], sizes, hasBiases: message.hasBiasVector)
    let operation = SimpleRecurrentOperator(
      activation: try RecurrentActivation(message.activation, decoder),
      returnsSequence: message.sequenceOutput, reversesInput: message.reverseInput,
      takesState: try decoder.takesStates(1), hasBias: message.hasBiasVector,
      outputCount: try decoder.outputCount(1...2))
    return DecodedLayer(operation, constants: constants)
  }
}

extension SimpleRecurrentOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    try encoder.requireSumBound(sumBound, activation)
    let (sizes, gates) = (encoder.recurrentSizes(weights), try encoder.gates(weights))
    let function = try activation.message()
    encoder.layer.layer = .simpleRecurrent(
      .making {
        ($0.inputVectorSize, $0.outputVectorSize) = sizes
        ($0.activation, $0.hasBiasVector) = (function, hasBias)
        ($0.sequenceOutput, $0.reverseInput) = (returnsSequence, reversesInput)
        $0.weightMatrix = gates[0].matrix
        $0.recursionMatrix = gates[0].recursion
        $0.biasVector = gates[0].bias
      })
  }
}
