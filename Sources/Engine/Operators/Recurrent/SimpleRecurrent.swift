import Graph
import ModelFormat

/// A simple recurrent layer.
///
///     y[t] = f(clip(W x[t] + R y[t−1] + b))
///
/// - Inputs: a sequence `[sequence, batch, inputVectorSize, 1, 1]` and, optionally, the state
///   `y[−1]` of shape `[1, batch, outputVectorSize, 1, 1]`, else 0.
/// - Outputs: the outputs of all steps or the last one, `[sequence or 1, batch, outputVectorSize,
///   1, 1]`, and, where the model names it, the last state.
/// - ``reversesInput``: the sequence is read from its end; outputs stand in the order of reading.
/// - Edge: `clip` keeps sums within −50…50.
///
/// **Source:** `SimpleRecurrentLayerParams`.
public struct SimpleRecurrentOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "SimpleRecurrent", specification: "simpleRecurrent",
    summary: "f(W x + R y + b) along a sequence")

  package let sizes: RecurrentSizes
  package let gate: RecurrentGate
  package let activation: RecurrentActivation
  package let returnsSequence: Bool
  package let reversesInput: Bool
  package let outputCount: Int

  public init(decoding decoder: LayerDecoder) throws {
    guard case .simpleRecurrent(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    sizes = try RecurrentSizes(message.inputVectorSize, message.outputVectorSize, decoder)
    gate = try RecurrentGate(
      decoder, sizes, "", message.weightMatrix, message.recursionMatrix,
      bias: message.hasBiasVector ? .some(message.biasVector) : .none)
    activation = try RecurrentActivation(message.activation, decoder)
    returnsSequence = message.sequenceOutput
    reversesInput = message.reverseInput
    outputCount = try decoder.outputCount(1...2)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    sizes.types(
      try sizes.check(inputs, states: 1), sequence: returnsSequence, width: sizes.output,
      outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let sum: DecodedGate = try gate.decoded()
    let (outputs, last) = walk(
      inputs[0], reverse: reversesInput, states: Array(inputs.dropFirst()), stateCount: 1,
      size: sizes.output
    ) { (x: ArraySlice<Double>, states: inout [[Double]]) in
      states[0] = sum(x, states[0]).map { activation($0) }
    }
    return recurrentOutputs(
      [returnsSequence ? outputs : [last.map { $0[0] }], [last.map { $0[0] }]], outputCount)
  }
}

/// A layer of gated recurrent units.
///
///     z = f(clip(Wz x[t] + Rz y[t−1] + bz))        update gate
///     r = f(clip(Wr x[t] + Rr y[t−1] + br))        reset gate
///     o = g(clip(Wo x[t] + Ro (r ⊙ y[t−1]) + bo))  output gate
///     y[t] = (1 − z) ⊙ o + z ⊙ y[t−1]
///
/// - Inputs and outputs: as those of ``SimpleRecurrentOperator``.
/// - Activations: f and g, usually sigmoid and tanh.
/// - Edge: `clip` keeps sums within −50…50.
///
/// **Source:** `GRULayerParams`; Cho et al., arXiv:1406.1078.
public struct GRUOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "GRU", specification: "gru", summary: "gated recurrent units along a sequence")

  package let sizes: RecurrentSizes
  package let update: RecurrentGate
  package let reset: RecurrentGate
  package let output: RecurrentGate
  package let activations: [RecurrentActivation]
  package let returnsSequence: Bool
  package let reversesInput: Bool
  package let outputCount: Int

  public init(decoding decoder: LayerDecoder) throws {
    guard case .gru(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let sizes = try RecurrentSizes(message.inputVectorSize, message.outputVectorSize, decoder)
    self.sizes = sizes
    func bias(_ weights: Spec.WeightParams?) -> Spec.WeightParams?? {
      message.hasBiasVectors ? .some(weights) : .none
    }
    update = try RecurrentGate(
      decoder, sizes, "updateGate", message.updateGateWeightMatrix,
      message.updateGateRecursionMatrix, bias: bias(message.updateGateBiasVector))
    reset = try RecurrentGate(
      decoder, sizes, "resetGate", message.resetGateWeightMatrix,
      message.resetGateRecursionMatrix, bias: bias(message.resetGateBiasVector))
    output = try RecurrentGate(
      decoder, sizes, "outputGate", message.outputGateWeightMatrix,
      message.outputGateRecursionMatrix, bias: bias(message.outputGateBiasVector))
    activations = try RecurrentActivation.several(message.activations, 2, "activations", decoder)
    returnsSequence = message.sequenceOutput
    reversesInput = message.reverseInput
    outputCount = try decoder.outputCount(1...2)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    sizes.types(
      try sizes.check(inputs, states: 1), sequence: returnsSequence, width: sizes.output,
      outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (updates, resets, values) = (
      try update.decoded(), try reset.decoded(), try output.decoded()
    )
    let (f, g) = (activations[0], activations[1])
    let (outputs, last) = walk(
      inputs[0], reverse: reversesInput, states: Array(inputs.dropFirst()), stateCount: 1,
      size: sizes.output
    ) { (x: ArraySlice<Double>, states: inout [[Double]]) in
      let before: [Double] = states[0]
      let z: [Double] = updates(x, before).map { f($0) }
      let r: [Double] = resets(x, before).map { f($0) }
      let remembered: [Double] = zip(r, before).map { $0 * $1 }
      let o: [Double] = values(x, remembered).map { g($0) }
      states[0] = z.indices.map { (1 - z[$0]) * o[$0] + z[$0] * before[$0] }
    }
    return recurrentOutputs(
      [returnsSequence ? outputs : [last.map { $0[0] }], [last.map { $0[0] }]], outputCount)
  }
}

extension LayerDecoder {
  /// The number of outputs that the model names; throws when the layer has not so many.
  package func outputCount(_ range: ClosedRange<Int>) throws -> Int {
    guard range.contains(outputCount) else {
      throw invalid(
        "the layer names \(outputCount) outputs, expected \(range.lowerBound) to "
          + "\(range.upperBound).")
    }
    return outputCount
  }
}

/// The first tensors of some `[steps][batch][size]`, as `[steps, batch, size, 1, 1]`.
package func recurrentOutputs(_ values: [[[[Double]]]], _ count: Int) -> [ReferenceTensor] {
  values.prefix(count).map { (steps: [[[Double]]]) -> ReferenceTensor in
    let batch: [[Double]] = steps.first ?? []
    let shape: Shape = [steps.count, batch.count, batch.first?.count ?? 0, 1, 1]
    return ReferenceTensor(shape, steps.flatMap { $0.flatMap { $0 } })
  }
}
