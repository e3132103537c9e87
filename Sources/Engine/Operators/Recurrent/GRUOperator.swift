import Graph

/// Gated recurrent units (GRU).
///
///     z = f(clip(Wz x[t] + Rz y[t−1] + bz))        update gate
///     r = f(clip(Wr x[t] + Rr y[t−1] + br))        reset gate
///     o = g(clip(Wo x[t] + Ro (r ⊙ y[t−1]) + bo))  output gate
///     y[t] = (1 − z) ⊙ o + z ⊙ y[t−1]
///
/// If ``reset`` is ``Reset/recursion(hasBias:)``, the reset gate multiplies the matrix product `Ro y[t−1]` instead of
/// `y[t−1]`. In that case the output gate is `o = g(clip(Wo x[t] + bo + r ⊙ (Ro y[t−1] + so)))`.
///
/// - Inputs and outputs: like those of ``SimpleRecurrentOperator``, but with the weights of three gates:
///   `Wz, Rz, Wr, Rr, Wo, Ro`. If ``hasBiases`` is set, `bz, br, bo` follow. If the product `Ro y[t−1]` has a separate
///   bias, `so` is last.
/// - Activations: f and g, usually sigmoid and tanh.
/// - `clip` clips sums to ± ``sumBound``, which is 50 in layers of the NeuralNetwork format.
///
/// **Source:** `GRULayerParams`; Cho et al., arXiv:1406.1078.
public struct GRUOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "GRU", summary: "gated recurrent units along a sequence")

  /// f, the activation of the update and reset gates.
  public var gateActivation: RecurrentActivation
  /// g, the activation of the output gate.
  public var activation: RecurrentActivation
  /// Whether the outputs of all time steps are returned; otherwise only the output of the last step.
  public var returnsSequence: Bool
  /// Whether the sequence is read from its end.
  public var reversesInput: Bool
  /// Whether the second input is the initial state.
  public var takesState: Bool
  /// Whether every gate has a bias; otherwise all biases are 0.
  public var hasBiases: Bool
  /// The number of outputs: 2 if the last state is the second output, otherwise 1.
  public var outputCount: Int
  /// The value that the reset gate multiplies.
  public var reset: Reset
  /// The largest magnitude of a gate's sum before the activation. Larger sums are clipped.
  public var sumBound: Double

  /// The value that the reset gate multiplies.
  public enum Reset: Sendable, Hashable {
    /// The previous output `y[t−1]`, before it is multiplied by the recursion matrix `Ro`.
    case output
    /// The matrix product `Ro y[t−1]`, plus the separate bias `so` if `hasBias` is true.
    case recursion(hasBias: Bool)
  }

  /// Creates a layer of gated recurrent units.
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

  /// The indices of the weights among the operator's inputs, in the order update, reset and output gate.
  /// ``RecurrentWeights`` has no place for the bias `so`, so this property counts `so` as the only peephole. A GRU has
  /// no real peepholes.
  package var weights: RecurrentWeights {
    RecurrentWeights(
      first: takesState ? 2 : 1, gates: 3, hasBiases: hasBiases,
      peepholeCount: reset == .recursion(hasBias: true) ? 1 : 0)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let extents = try RecurrentWeights.check(inputs, states: takesState ? 1 : 0, [weights])
    return RecurrentWeights.types(
      extents, returnsSequence: returnsSequence, width: extents.size, outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let gates: [RecurrentGate] = (0..<3).map { weights.gate($0, of: inputs, bound: sumBound) }
    let recursionBias: [Double]? = weights.peepholes.first.map { inputs[$0].values }
    let (updates, resets, values) = (gates[0], gates[1], gates[2])
    let (f, g) = (gateActivation, activation)
    let (outputs, last) = runSteps(
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
