import Graph
import ModelFormat
import Operators

extension LayerReader {
  static let uniDirectionalLSTM = LayerReader(
    "uniDirectionalLSTM", UniDirectionalLSTMOperator.self
  ) { decoder in
    guard case .uniDirectionalLSTM(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let parameters: Spec.LSTMParams = message.params ?? Spec.LSTMParams()
    let sizes = try decoder.recurrentSizes(message.inputVectorSize, message.outputVectorSize)
    let cell = try LSTMCell(
      parameters, try RecurrentActivation.several(message.activations, 3, "activations", decoder),
      decoder)
    let constants = try decoder.cell(
      message.weightParams ?? Spec.LSTMWeightParams(), cell, sizes, prefix: "")
    let operation = UniDirectionalLSTMOperator(
      cell, returnsSequence: parameters.sequenceOutput, reversesInput: message.reverseInput,
      takesStates: try decoder.takesStates(2), outputCount: try decoder.outputCount(1...3))
    return DecodedLayer(operation, constants: constants)
  }

  static let biDirectionalLSTM = LayerReader(
    "biDirectionalLSTM", BiDirectionalLSTMOperator.self
  ) { decoder in
    guard case .biDirectionalLSTM(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let sizes = try decoder.recurrentSizes(message.inputVectorSize, message.outputVectorSize)
    let parameters: Spec.LSTMParams = message.params ?? Spec.LSTMParams()
    guard message.weightParams.count == 2 else {
      throw decoder.invalid(
        "weightParams has \(message.weightParams.count) entries, expected 2 (forwards, backwards).")
    }
    let forwards = try LSTMCell(
      parameters,
      try RecurrentActivation.several(
        message.activationsForwardLSTM, 3, "activationsForwardLSTM", decoder), decoder)
    let backwards = try LSTMCell(
      parameters,
      try RecurrentActivation.several(
        message.activationsBackwardLSTM, 3, "activationsBackwardLSTM", decoder), decoder)
    let constants =
      try decoder.cell(message.weightParams[0], forwards, sizes, prefix: "forwards/")
      + decoder.cell(message.weightParams[1], backwards, sizes, prefix: "backwards/")
    let operation = BiDirectionalLSTMOperator(
      forwards: forwards, backwards: backwards, returnsSequence: parameters.sequenceOutput,
      takesStates: try decoder.takesStates(4), outputCount: try decoder.outputCount(1...5))
    return DecodedLayer(operation, constants: constants)
  }
}

extension UniDirectionalLSTMOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    try encoder.requireSumBound(cell.sumBound, cell.gateActivation, cell.blockActivation)
    let functions = try cell.functions()
    let (sizes, gates) = (encoder.recurrentSizes(weights), try encoder.cell(weights))
    encoder.layer.layer = .uniDirectionalLSTM(
      .making {
        ($0.inputVectorSize, $0.outputVectorSize) = sizes
        ($0.activations, $0.reverseInput) = (functions, reversesInput)
        $0.params = cell.parameters(returnsSequence: returnsSequence)
        $0.weightParams = gates
      })
  }
}

extension BiDirectionalLSTMOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    try encoder.requireSumBound(
      forwards.sumBound, forwards.gateActivation, forwards.blockActivation)
    try encoder.requireSumBound(
      backwards.sumBound, backwards.gateActivation, backwards.blockActivation)
    let parameters: Spec.LSTMParams = forwards.parameters(returnsSequence: returnsSequence)
    var other: LSTMCell = backwards
    (other.gateActivation, other.blockActivation) = (
      forwards.gateActivation, forwards.blockActivation
    )
    other.outputActivation = forwards.outputActivation
    guard other == forwards else {
      throw EngineError(
        .unsupported,
        "the directions differ in more than activations and weights, which no layer can express.")
    }
    let (ahead, back) = (try forwards.functions(), try backwards.functions())
    let sizes = encoder.recurrentSizes(weights[0])
    let cells = try weights.map { try encoder.cell($0) }
    encoder.layer.layer = .biDirectionalLSTM(
      .making {
        ($0.inputVectorSize, $0.outputVectorSize) = sizes
        ($0.activationsForwardLSTM, $0.activationsBackwardLSTM) = (ahead, back)
        ($0.params, $0.weightParams) = (parameters, cells)
      })
  }
}

extension LSTMCell {
  fileprivate init(
    _ parameters: Spec.LSTMParams, _ activations: [RecurrentActivation], _ decoder: LayerDecoder
  ) throws {
    let bound: Float = parameters.cellClipThreshold
    guard bound >= 0 else {
      throw decoder.invalid("cellClipThreshold is \(Double(bound)), expected 0 or more.")
    }
    self.init(
      gateActivation: activations[0], blockActivation: activations[1],
      outputActivation: activations[2], hasBiases: parameters.hasBiasVectors,
      hasPeepholes: parameters.hasPeepholeVectors, addsForgetBias: parameters.forgetBias,
      couplesGates: parameters.coupledInputAndForgetGate,
      cellBound: bound == 0 ? 50 : Double(bound))
  }

  fileprivate func functions() throws -> [Spec.ActivationParams] {
    try [gateActivation, blockActivation, outputActivation].map { try $0.message() }
  }

  fileprivate func parameters(returnsSequence: Bool) -> Spec.LSTMParams {
    .making {
      ($0.sequenceOutput, $0.hasBiasVectors) = (returnsSequence, hasBiases)
      ($0.hasPeepholeVectors, $0.forgetBias) = (hasPeepholes, addsForgetBias)
      ($0.coupledInputAndForgetGate, $0.cellClipThreshold) = (couplesGates, Float(cellBound))
    }
  }
}

extension LayerDecoder {
  /// Reads the weights of an LSTM cell. Returns them in the gate order input, forget, block, output.
  fileprivate func cell(
    _ weights: Spec.LSTMWeightParams, _ cell: LSTMCell, _ sizes: (input: Int, output: Int),
    prefix: String
  ) throws -> [(role: String, value: Constant)] {
    let input = GateMessage(
      name: "inputGate", matrix: weights.inputGateWeightMatrix,
      recursion: weights.inputGateRecursionMatrix, bias: weights.inputGateBiasVector,
      peephole: weights.inputGatePeepholeVector)
    let forget = GateMessage(
      name: "forgetGate", matrix: weights.forgetGateWeightMatrix,
      recursion: weights.forgetGateRecursionMatrix, bias: weights.forgetGateBiasVector,
      peephole: weights.forgetGatePeepholeVector)
    let block = GateMessage(
      name: "blockInput", matrix: weights.blockInputWeightMatrix,
      recursion: weights.blockInputRecursionMatrix, bias: weights.blockInputBiasVector)
    let output = GateMessage(
      name: "outputGate", matrix: weights.outputGateWeightMatrix,
      recursion: weights.outputGateRecursionMatrix, bias: weights.outputGateBiasVector,
      peephole: weights.outputGatePeepholeVector)
    return try gates(
      [input, forget, block, output], sizes, hasBiases: cell.hasBiases,
      peepholes: cell.hasPeepholes ? [input, forget, output] : [], prefix: prefix)
  }
}

extension LayerEncoder {
  /// Writes the weights of an LSTM cell. `weights` has the gate order input, forget, block, output.
  fileprivate mutating func cell(_ weights: RecurrentWeights) throws -> Spec.LSTMWeightParams {
    let gates = try gates(weights, peepholes: [0, 1, 3])
    return .making {
      ($0.inputGateWeightMatrix, $0.inputGateRecursionMatrix) = (
        gates[0].matrix, gates[0].recursion
      )
      ($0.inputGateBiasVector, $0.inputGatePeepholeVector) = (gates[0].bias, gates[0].peephole)
      $0.forgetGateWeightMatrix = gates[1].matrix
      $0.forgetGateRecursionMatrix = gates[1].recursion
      ($0.forgetGateBiasVector, $0.forgetGatePeepholeVector) = (gates[1].bias, gates[1].peephole)
      $0.blockInputWeightMatrix = gates[2].matrix
      $0.blockInputRecursionMatrix = gates[2].recursion
      $0.blockInputBiasVector = gates[2].bias
      $0.outputGateWeightMatrix = gates[3].matrix
      $0.outputGateRecursionMatrix = gates[3].recursion
      ($0.outputGateBiasVector, $0.outputGatePeepholeVector) = (gates[3].bias, gates[3].peephole)
    }
  }
}
