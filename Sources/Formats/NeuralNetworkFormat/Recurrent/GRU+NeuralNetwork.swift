import Graph
import ModelFormat
import Operators

extension LayerReader {
  static let gru = LayerReader("gru", GRUOperator.self) { decoder in
    guard case .gru(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let sizes = try decoder.recurrentSizes(message.inputVectorSize, message.outputVectorSize)
    let gates: [GateMessage] = [
      GateMessage(
        name: "updateGate", matrix: message.updateGateWeightMatrix,
        recursion: message.updateGateRecursionMatrix, bias: message.updateGateBiasVector),
      GateMessage(
        name: "resetGate", matrix: message.resetGateWeightMatrix,
        recursion: message.resetGateRecursionMatrix, bias: message.resetGateBiasVector),
      GateMessage(
        name: "outputGate", matrix: message.outputGateWeightMatrix,
        recursion: message.outputGateRecursionMatrix, bias: message.outputGateBiasVector),
    ]
    let constants = try decoder.gates(gates, sizes, hasBiases: message.hasBiasVectors)
    let activations = try RecurrentActivation.several(
      message.activations, 2, "activations", decoder)
    let operation = GRUOperator(
      gateActivation: activations[0], activation: activations[1],
      returnsSequence: message.sequenceOutput, reversesInput: message.reverseInput,
      takesState: try decoder.takesStates(1), hasBiases: message.hasBiasVectors,
      outputCount: try decoder.outputCount(1...2))
    return DecodedLayer(operation, constants: constants)
  }
}

extension GRUOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    try encoder.requireSumBound(sumBound, gateActivation, activation)
    guard reset == .output else {
      throw EngineError(
        .unsupported,
        "the reset gate is applied after the recurrent matrix product, which no layer can express.")
    }
    let (sizes, gates) = (encoder.recurrentSizes(weights), try encoder.gates(weights))
    let functions = [try gateActivation.message(), try activation.message()]
    encoder.layer.layer = .gru(
      .making {
        ($0.inputVectorSize, $0.outputVectorSize) = sizes
        ($0.activations, $0.hasBiasVectors) = (functions, hasBiases)
        ($0.sequenceOutput, $0.reverseInput) = (returnsSequence, reversesInput)
        $0.updateGateWeightMatrix = gates[0].matrix
        $0.updateGateRecursionMatrix = gates[0].recursion
        $0.updateGateBiasVector = gates[0].bias
        $0.resetGateWeightMatrix = gates[1].matrix
        $0.resetGateRecursionMatrix = gates[1].recursion
        $0.resetGateBiasVector = gates[1].bias
        $0.outputGateWeightMatrix = gates[2].matrix
        $0.outputGateRecursionMatrix = gates[2].recursion
        $0.outputGateBiasVector = gates[2].bias
      })
  }
}
