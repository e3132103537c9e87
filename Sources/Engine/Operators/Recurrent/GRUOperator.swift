import Graph

/// Gated recurrent units.
///
///     z = f(clip(Wz x[t] + Rz y[t−1] + bz))        update gate
///     r = f(clip(Wr x[t] + Rr y[t−1] + br))        reset gate
///     o = g(clip(Wo x[t] + Ro (r ⊙ y[t−1]) + bo))  output gate
///     y[t] = (1 − z) ⊙ o + z ⊙ y[t−1]
///
/// Where the reset comes after the recursion, `o = g(clip(Wo x[t] + bo + r ⊙ (Ro y[t−1] + so)))`.
///
/// - Inputs and outputs: as those of ``SimpleRecurrentOperator``, with the weights of the update, the reset
///   and the output gate: `Wz, Rz, Wr, Rr, Wo, Ro`; where there are biases, `bz, br, bo`;
///   where the recursion has a bias, `so`.
/// - Activations: f and g, usually sigmoid and tanh.
/// - Edge: `clip` keeps sums within ± ``sumBound``, 50 in layers of NeuralNetwork.
///
/// **Source:** `GRULayerParams`; Cho et al., arXiv:1406.1078.
public struct GRUOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "GRU", summary: "gated recurrent units along a sequence")

  /// f, of the update and the reset gate.
  public var gateActivation: RecurrentActivation
  /// g, of the output gate.
  public var activation: RecurrentActivation
  /// Whether all outputs are given, or else the last.
  public var returnsSequence: Bool
  /// Whether the sequence is read from its end.
  public var reversesInput: Bool
  /// Whether the second input is the first state.
  public var takesState: Bool
  /// Whether every gate has a bias, else all are 0.
  public var hasBiases: Bool
  /// 2 with the last state, else 1.
  public var outputCount: Int
  /// What the reset gate multiplies.
  public var reset: Reset
  /// The largest magnitude of a sum.
  public var sumBound: Double

  /// What the reset gate multiplies.
  public enum Reset: Sendable, Hashable {
    /// The output before the recursion.
    case output
    /// What the recursion makes, with a bias of its own or without.
    case recursion(hasBias: Bool)
  }

  /// Gated recurrent units.
  public init(
    gateActivation: RecurrentActivation = .sigmoid, activation: RecurrentActivation = .tanh,
    returnsSequence: Bool, reversesInput: Bool = false, takesState: Bool = false,
    hasBiases: Bool = true, outputCount: Int = 1, reset: Reset = .output, sumBound: Double = 50
  ) {
    self.gateActivation = gateActivation
    self.activation = activation
    self.returnsSequence = returnsSequence
    self.reversesInput = reversesInput
    self.takesState = takesState
    self.hasBiases = hasBiases
    self.outputCount = outputCount
    self.reset = reset
    self.sumBound = sumBound
  }

  /// Where the weights stand: update, reset and output gate. The recursion's bias stands where another
  /// cell has peepholes.
  package var weights: RecurrentWeights {
    RecurrentWeights(
      first: takesState ? 2 : 1, gates: 3, hasBiases: hasBiases,
      peepholeCount: reset == .recursion(hasBias: true) ? 1 : 0)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let place = try RecurrentWeights.check(inputs, states: takesState ? 1 : 0, [weights])
    return RecurrentWeights.types(
      place, returnsSequence: returnsSequence, width: place.size, outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let gates: [RecurrentGate] = (0..<3).map { weights.gate($0, of: inputs, bound: sumBound) }
    let recursionBias: [Double]? = weights.peepholes.first.map { inputs[$0].values }
    let (updates, resets, values) = (gates[0], gates[1], gates[2])
    let (f, g) = (gateActivation, activation)
    let (outputs, last) = walk(
      inputs[0], reverse: reversesInput, states: takesState ? [inputs[1]] : [], stateCount: 1,
      size: updates.bias.count
    ) { (x: ArraySlice<Double>, states: inout [[Double]]) in
      let before: [Double] = states[0]
      let z: [Double] = updates(x, before).map { f($0) }
      let r: [Double] = resets(x, before).map { f($0) }
      let o: [Double]
      if case .output = reset {
        o = values(x, zip(r, before).map { $0 * $1 }).map { g($0) }
      } else {
        o = values(x, before, reset: r, recursionBias: recursionBias).map { g($0) }
      }
      states[0] = z.indices.map { (1 - z[$0]) * o[$0] + z[$0] * before[$0] }
    }
    return recurrentOutputs(
      [returnsSequence ? outputs : [last.map { $0[0] }], [last.map { $0[0] }]], outputCount)
  }
}
