import Graph

/// The cell that both LSTM operators share.
///
///     i = f(clip(Wi x[t] + Ri y[t−1] + pi ⊙ c[t−1] + bi))   input gate
///     g = f(clip(Wf x[t] + Rf y[t−1] + pf ⊙ c[t−1] + bf))   forget gate
///     z = g(clip(Wz x[t] + Rz y[t−1] + bz))                 block input
///     c[t] = c[t−1] ⊙ g + i ⊙ z, kept within ± cellBound
///     o = f(clip(Wo x[t] + Ro y[t−1] + po ⊙ c[t] + bo))     output gate
///     y[t] = h(c[t]) ⊙ o
///
/// With a coupled input and forget gate, `g = 1 − i`. With the forget bias, 1 is added to `bf`.
/// `clip` keeps sums within ± ``sumBound``, 50 in layers of NeuralNetwork.
///
/// The weights are `Wi, Ri, Wf, Rf, Wz, Rz, Wo, Ro`; where there are biases, `bi, bf, bz, bo`; where there are
/// peepholes, `pi, pf, po`.
///
/// **Source:** `LSTMParams`; Hochreiter and Schmidhuber (1997), doi:10.1162/neco.1997.9.8.1735;
/// peepholes: Gers and Schmidhuber (2000), doi:10.1109/IJCNN.2000.861302.
public struct LSTMCell: Sendable, Hashable {
  /// f, of the three gates.
  public var gateActivation: RecurrentActivation
  /// g, of the block input.
  public var blockActivation: RecurrentActivation
  /// h, of the cell on its way out.
  public var outputActivation: RecurrentActivation
  /// Whether every gate has a bias, else all are 0.
  public var hasBiases: Bool
  /// Whether the gates look at the cell.
  public var hasPeepholes: Bool
  /// Whether 1 is added to the forget gate's bias.
  public var addsForgetBias: Bool
  /// Whether what is forgotten is one less the input gate.
  public var couplesGates: Bool
  /// The largest magnitude of a cell's value.
  public var cellBound: Double
  /// The largest magnitude of a sum.
  public var sumBound: Double

  /// A cell.
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

  /// Where the weights stand, from an input on: input, forget, block and output gate.
  package func weights(from first: Int) -> RecurrentWeights {
    RecurrentWeights(
      first: first, gates: 4, hasBiases: hasBiases, peepholeCount: hasPeepholes ? 3 : 0)
  }

  /// Outputs in the order of reading, last outputs and last cells, each `[steps][batch][size]`.
  package func run(
    _ tensors: [ReferenceTensor], _ weights: RecurrentWeights, reverse: Bool,
    states: [ReferenceTensor]
  ) -> (outputs: [[[Double]]], lastOutput: [[Double]], lastCell: [[Double]]) {
    let inputs = weights.gate(0, of: tensors, peephole: 0, bound: sumBound)
    let forgets = weights.gate(1, of: tensors, peephole: 1, bound: sumBound)
    let blocks = weights.gate(2, of: tensors, bound: sumBound)
    let results = weights.gate(3, of: tensors, peephole: 2, bound: sumBound)
    let (f, g, h) = (gateActivation, blockActivation, outputActivation)
    let (outputs, last) = walk(
      tensors[0], reverse: reverse, states: states, stateCount: 2, size: inputs.bias.count
    ) { (x: ArraySlice<Double>, states: inout [[Double]]) in
      let (y, c) = (states[0], states[1])
      let i: [Double] = inputs(x, y, cell: c).map { f($0) }
      let kept: [Double] =
        couplesGates
        ? i.map { 1 - $0 }
        : forgets(x, y, cell: c, shift: addsForgetBias ? 1 : 0).map { f($0) }
      let z: [Double] = blocks(x, y).map { g($0) }
      let cell: [Double] = c.indices.map { (place: Int) -> Double in
        min(max(c[place] * kept[place] + i[place] * z[place], -cellBound), cellBound)
      }
      let o: [Double] = results(x, y, cell: cell).map { f($0) }
      states = [cell.indices.map { h(cell[$0]) * o[$0] }, cell]
    }
    return (outputs, last.map { $0[0] }, last.map { $0[1] })
  }
}
