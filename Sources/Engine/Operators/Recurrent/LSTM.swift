import Graph
import ModelFormat

/// The cell that both LSTM layers share.
///
///     i = f(clip(Wi x[t] + Ri y[t−1] + pi ⊙ c[t−1] + bi))   input gate
///     g = f(clip(Wf x[t] + Rf y[t−1] + pf ⊙ c[t−1] + bf))   forget gate
///     z = g(clip(Wz x[t] + Rz y[t−1] + bz))                 block input
///     c[t] = c[t−1] ⊙ g + i ⊙ z, kept within ± cellClipThreshold
///     o = f(clip(Wo x[t] + Ro y[t−1] + po ⊙ c[t] + bo))     output gate
///     y[t] = h(c[t]) ⊙ o
///
/// With a coupled input and forget gate, `g = 1 − i`. With the forget bias, 1 is added to `bf`.
/// `clip` keeps sums within −50…50; a cellClipThreshold of 0 is 50.
///
/// **Source:** `LSTMParams`; Hochreiter and Schmidhuber (1997), doi:10.1162/neco.1997.9.8.1735;
/// peepholes: Gers and Schmidhuber (2000), doi:10.1109/IJCNN.2000.861302.
package struct LSTMCell: Sendable {
  package let sizes: RecurrentSizes
  package let input: RecurrentGate
  package let forget: RecurrentGate
  package let block: RecurrentGate
  package let output: RecurrentGate
  package let activations: [RecurrentActivation]
  package let addsForgetBias: Bool
  package let couplesGates: Bool
  package let cellClip: Double

  package init(
    _ decoder: LayerDecoder, _ sizes: RecurrentSizes, _ parameters: Spec.LSTMParams,
    _ weights: Spec.LSTMWeightParams, _ activations: [RecurrentActivation]
  ) throws {
    self.sizes = sizes
    self.activations = activations
    addsForgetBias = parameters.forgetBias
    couplesGates = parameters.coupledInputAndForgetGate
    cellClip = parameters.cellClipThreshold == 0 ? 50 : Double(parameters.cellClipThreshold)
    guard cellClip > 0 else {
      throw decoder.invalid("cellClipThreshold is \(cellClip), expected 0 or more.")
    }
    func bias(_ vector: Spec.WeightParams?) -> Spec.WeightParams?? {
      parameters.hasBiasVectors ? .some(vector) : .none
    }
    func peephole(_ vector: Spec.WeightParams?) -> Spec.WeightParams?? {
      parameters.hasPeepholeVectors ? .some(vector) : .none
    }
    input = try RecurrentGate(
      decoder, sizes, "inputGate", weights.inputGateWeightMatrix,
      weights.inputGateRecursionMatrix, bias: bias(weights.inputGateBiasVector),
      peephole: peephole(weights.inputGatePeepholeVector))
    forget = try RecurrentGate(
      decoder, sizes, "forgetGate", weights.forgetGateWeightMatrix,
      weights.forgetGateRecursionMatrix, bias: bias(weights.forgetGateBiasVector),
      peephole: peephole(weights.forgetGatePeepholeVector))
    block = try RecurrentGate(
      decoder, sizes, "blockInput", weights.blockInputWeightMatrix,
      weights.blockInputRecursionMatrix, bias: bias(weights.blockInputBiasVector))
    output = try RecurrentGate(
      decoder, sizes, "outputGate", weights.outputGateWeightMatrix,
      weights.outputGateRecursionMatrix, bias: bias(weights.outputGateBiasVector),
      peephole: peephole(weights.outputGatePeepholeVector))
  }

  /// Outputs in the order of reading, last outputs and last cells, each `[steps][batch][size]`.
  package func run(_ input: ReferenceTensor, reverse: Bool, states: [ReferenceTensor]) throws
    -> (outputs: [[[Double]]], lastOutput: [[Double]], lastCell: [[Double]])
  {
    let (inputs, forgets, blocks, results) = (
      try self.input.decoded(), try forget.decoded(), try block.decoded(), try output.decoded()
    )
    let (f, g, h) = (activations[0], activations[1], activations[2])
    let (outputs, last) = walk(
      input, reverse: reverse, states: states, stateCount: 2, size: sizes.output
    ) { (x: ArraySlice<Double>, states: inout [[Double]]) in
      let (y, c) = (states[0], states[1])
      let i: [Double] = inputs(x, y, cell: c).map { f($0) }
      let kept: [Double] =
        couplesGates
        ? i.map { 1 - $0 }
        : forgets(x, y, cell: c, shift: addsForgetBias ? 1 : 0).map { f($0) }
      let z: [Double] = blocks(x, y).map { g($0) }
      let cell: [Double] = c.indices.map { (place: Int) -> Double in
        min(max(c[place] * kept[place] + i[place] * z[place], -cellClip), cellClip)
      }
      let o: [Double] = results(x, y, cell: cell).map { f($0) }
      states = [cell.indices.map { h(cell[$0]) * o[$0] }, cell]
    }
    return (outputs, last.map { $0[0] }, last.map { $0[1] })
  }
}

/// A long short-term memory that walks in one direction.
///
/// - Inputs: a sequence `[sequence, batch, inputVectorSize, 1, 1]` and, optionally, the states `y[−1]`
///   and `c[−1]` of shape `[1, batch, outputVectorSize, 1, 1]`, else 0.
/// - Outputs: the outputs of all steps or the last one, `[sequence or 1, batch, outputVectorSize,
///   1, 1]`, then, where the model names them, the last `y` and `c`.
/// - Formula: that of `LSTMCell`, in the same file.
/// - ``reversesInput``: the sequence is read from its end; outputs stand in the order of reading.
///
/// **Source:** `UniDirectionalLSTMLayerParams`.
public struct UniDirectionalLSTMOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "UniDirectionalLSTM", specification: "uniDirectionalLSTM",
    summary: "long short-term memory along a sequence")

  package let cell: LSTMCell
  package let returnsSequence: Bool
  package let reversesInput: Bool
  package let outputCount: Int

  public init(decoding decoder: LayerDecoder) throws {
    guard case .uniDirectionalLSTM(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let parameters: Spec.LSTMParams = message.params ?? Spec.LSTMParams()
    cell = try LSTMCell(
      decoder, try RecurrentSizes(message.inputVectorSize, message.outputVectorSize, decoder),
      parameters, message.weightParams ?? Spec.LSTMWeightParams(),
      try RecurrentActivation.several(message.activations, 3, "activations", decoder))
    returnsSequence = parameters.sequenceOutput
    reversesInput = message.reverseInput
    outputCount = try decoder.outputCount(1...3)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    cell.sizes.types(
      try cell.sizes.check(inputs, states: 2), sequence: returnsSequence,
      width: cell.sizes.output, outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let walked = try cell.run(
      inputs[0], reverse: reversesInput, states: Array(inputs.dropFirst()))
    return recurrentOutputs(
      [
        returnsSequence ? walked.outputs : [walked.lastOutput], [walked.lastOutput],
        [walked.lastCell],
      ], outputCount)
  }
}

/// Two long short-term memories, one that walks forwards and one backwards.
///
/// - Inputs: a sequence `[sequence, batch, inputVectorSize, 1, 1]` and, optionally, the states `y`
///   and `c` forwards, `y` and `c` backwards, else 0.
/// - Outputs: `[sequence or 1, batch, 2 · outputVectorSize, 1, 1]`: the forward output, then the
///   backward one of the same time (with `sequenceOutput`) or the last of each walk; then, where the
///   model names them, the last `y` and `c` forwards and backwards.
/// - Formula: that of `LSTMCell`, in the same file.
///
/// **Source:** `BiDirectionalLSTMLayerParams`.
public struct BiDirectionalLSTMOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "BiDirectionalLSTM", specification: "biDirectionalLSTM",
    summary: "long short-term memory along a sequence in both directions")

  package let forwards: LSTMCell
  package let backwards: LSTMCell
  package let returnsSequence: Bool
  package let outputCount: Int

  public init(decoding decoder: LayerDecoder) throws {
    guard case .biDirectionalLSTM(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let sizes = try RecurrentSizes(message.inputVectorSize, message.outputVectorSize, decoder)
    let parameters: Spec.LSTMParams = message.params ?? Spec.LSTMParams()
    guard message.weightParams.count == 2 else {
      throw decoder.invalid(
        "weightParams has \(message.weightParams.count) entries, expected 2 (forwards, backwards).")
    }
    forwards = try LSTMCell(
      decoder, sizes, parameters, message.weightParams[0],
      try RecurrentActivation.several(
        message.activationsForwardLSTM, 3, "activationsForwardLSTM", decoder))
    backwards = try LSTMCell(
      decoder, sizes, parameters, message.weightParams[1],
      try RecurrentActivation.several(
        message.activationsBackwardLSTM, 3, "activationsBackwardLSTM", decoder))
    returnsSequence = parameters.sequenceOutput
    outputCount = try decoder.outputCount(1...5)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    forwards.sizes.types(
      try forwards.sizes.check(inputs, states: 4), sequence: returnsSequence,
      width: 2 * forwards.sizes.output, outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let states: [ReferenceTensor] = Array(inputs.dropFirst())
    let ahead = try forwards.run(inputs[0], reverse: false, states: Array(states.prefix(2)))
    let back = try backwards.run(inputs[0], reverse: true, states: Array(states.dropFirst(2)))
    func joined(_ first: [[Double]], _ second: [[Double]]) -> [[Double]] {
      zip(first, second).map { $0 + $1 }
    }
    let outputs: [[[Double]]] =
      returnsSequence
      ? zip(ahead.outputs, back.outputs.reversed()).map { joined($0, $1) }
      : [joined(ahead.lastOutput, back.lastOutput)]
    return recurrentOutputs(
      [outputs, [ahead.lastOutput], [ahead.lastCell], [back.lastOutput], [back.lastCell]],
      outputCount)
  }
}
