import Graph

/// The LSTM cell of ``UniDirectionalLSTMOperator`` and ``BiDirectionalLSTMOperator``.
///
///     i = f(clip(Wi x[t] + Ri y[t−1] + pi ⊙ c[t−1] + bi))   input gate
///     φ = f(clip(Wf x[t] + Rf y[t−1] + pf ⊙ c[t−1] + bf))   forget gate
///     z = g(clip(Wz x[t] + Rz y[t−1] + bz))                 block input
///     c[t] = c[t−1] ⊙ φ + i ⊙ z, clipped to ± cellBound
///     o = f(clip(Wo x[t] + Ro y[t−1] + po ⊙ c[t] + bo))     output gate
///     y[t] = h(c[t]) ⊙ o
///
/// If ``couplesGates`` is set, `φ = 1 − i`. If ``addsForgetBias`` is set, 1 is added to `bf`. `clip` clips sums to ±
/// ``sumBound``, which is 50 in layers of the NeuralNetwork format.
///
/// The weights begin with `Wi, Ri, Wf, Rf, Wz, Rz, Wo, Ro`. If ``hasBiases`` is set, `bi, bf, bz, bo` follow. If
/// ``hasPeepholes`` is set, `pi, pf, po` are last.
///
/// **Source:** `LSTMParams`; Hochreiter and Schmidhuber (1997), doi:10.1162/neco.1997.9.8.1735;
/// peepholes: Gers and Schmidhuber (2000), doi:10.1109/IJCNN.2000.861302.
public struct LSTMCell: Sendable, Hashable {
  /// f, the activation of the three gates.
  public var gateActivation: RecurrentActivation
  /// g, the activation of the block input.
  public var blockActivation: RecurrentActivation
  /// h, the activation that is applied to the cell state before the output gate multiplies it.
  public var outputActivation: RecurrentActivation
  /// Whether every gate has a bias; otherwise all biases are 0.
  public var hasBiases: Bool
  /// Whether the gates also read the cell state, through the peepholes.
  public var hasPeepholes: Bool
  /// Whether 1 is added to the forget gate's bias.
  public var addsForgetBias: Bool
  /// Whether the forget gate is 1 minus the input gate.
  public var couplesGates: Bool
  /// The largest magnitude of the cell state. Larger values are clipped.
  public var cellBound: Double
  /// The largest magnitude of a gate's sum before the activation. Larger sums are clipped.
  public var sumBound: Double

  /// Creates a cell.
  public init(
    gateActivation: RecurrentActivation = .sigmoid, blockActivation: RecurrentActivation = .tanh,
    outputActivation: RecurrentActivation = .tanh, hasBiases: Bool = true,
    hasPeepholes: Bool = false, addsForgetBias: Bool = false, couplesGates: Bool = false,
    cellBound: Double = 50, sumBound: Double = 50
  ) {
    self.gateActivation = gateActivation
    self.blockActivation = blockActivation
    self.outputActivation = outputActivation
    self.hasBiases = hasBiases
    self.hasPeepholes = hasPeepholes
    self.addsForgetBias = addsForgetBias
    self.couplesGates = couplesGates
    self.cellBound = cellBound
    self.sumBound = sumBound
  }

  /// Returns the indices of the weights among the operator's inputs, beginning at `first`, in the order input gate,
  /// forget gate, block input and output gate.
  package func weights(from first: Int) -> RecurrentWeights {
    RecurrentWeights(
      first: first, gates: 4, hasBiases: hasBiases, peepholeCount: hasPeepholes ? 3 : 0)
  }

  /// Runs the cell along the sequence. Returns the outputs of all steps as `[steps][batch][size]`, in the order of
  /// reading. Also returns the last outputs and the last cell states, each as `[batch][size]`.
  package func run(
    _ tensors: [ReferenceTensor], _ weights: RecurrentWeights, reverse: Bool,
    states: [ReferenceTensor]
  ) -> (outputs: [[[Double]]], lastOutput: [[Double]], lastCell: [[Double]]) {
    let inputs = weights.gate(0, of: tensors, peephole: 0, bound: sumBound)
    let forgets = weights.gate(1, of: tensors, peephole: 1, bound: sumBound)
    let blocks = weights.gate(2, of: tensors, bound: sumBound)
    let results = weights.gate(3, of: tensors, peephole: 2, bound: sumBound)
    let (f, g, h) = (gateActivation, blockActivation, outputActivation)
    let (outputs, last) = runSteps(
      tensors[0], reverse: reverse, states: states, stateCount: 2, size: inputs.bias.count
    ) { (x: ArraySlice<Double>, states: inout [[Double]]) in
      let (y, c) = (states[0], states[1])
      let i: [Double] = inputs(x, y, cell: c).map { f($0) }
      let forget: [Double] =
        couplesGates
        ? i.map { 1 - $0 }
        : forgets(x, y, cell: c, shift: addsForgetBias ? 1 : 0).map { f($0) }
      let z: [Double] = blocks(x, y).map { g($0) }
      let cell: [Double] = c.indices.map { (unit: Int) -> Double in
        min(max(c[unit] * forget[unit] + i[unit] * z[unit], -cellBound), cellBound)
      }
      let o: [Double] = results(x, y, cell: cell).map { f($0) }
      states = [cell.indices.map { h(cell[$0]) * o[$0] }, cell]
    }
    return (outputs, last.map { $0[0] }, last.map { $0[1] })
  }
}
