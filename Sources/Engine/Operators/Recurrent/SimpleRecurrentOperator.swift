import Graph

/// A simple recurrent network.
///
///     y[t] = f(clip(W x[t] + R y[t−1] + b))
///
/// - Inputs: a sequence `[sequence, batch, inputVectorSize, 1, 1]`; where it is taken, the state
///   `y[−1]` of shape `[1, batch, outputVectorSize, 1, 1]`, else 0; then `W`, `R` and, where there is
///   one, `b`.
/// - Outputs: the outputs of all steps or the last one, `[sequence or 1, batch, outputVectorSize,
///   1, 1]`, and, where the model names it, the last state.
/// - ``reversesInput``: the sequence is read from its end; outputs stand in the order of reading.
/// - Edge: `clip` keeps sums within ± ``sumBound``, 50 in layers of NeuralNetwork.
///
/// **Source:** `SimpleRecurrentLayerParams`.
public struct SimpleRecurrentOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "SimpleRecurrent", summary: "f(W x + R y + b) along a sequence")

  /// f.
  public var activation: RecurrentActivation
  /// Whether all outputs are given, or else the last.
  public var returnsSequence: Bool
  /// Whether the sequence is read from its end.
  public var reversesInput: Bool
  /// Whether the second input is the first state.
  public var takesState: Bool
  /// Whether the last input is the bias.
  public var hasBias: Bool
  /// 2 with the last state, else 1.
  public var outputCount: Int
  /// The largest magnitude of a sum.
  public var sumBound: Double

  /// A recurrent network.
  public init(
    activation: RecurrentActivation, returnsSequence: Bool, reversesInput: Bool = false,
    takesState: Bool = false, hasBias: Bool = true, outputCount: Int = 1,
    sumBound: Double = 50
  ) {
    self.activation = activation
    self.returnsSequence = returnsSequence
    self.reversesInput = reversesInput
    self.takesState = takesState
    self.hasBias = hasBias
    self.outputCount = outputCount
    self.sumBound = sumBound
  }

  /// Where the weights stand.
  package var weights: RecurrentWeights {
    RecurrentWeights(first: takesState ? 2 : 1, gates: 1, hasBiases: hasBias)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let place = try RecurrentWeights.check(inputs, states: takesState ? 1 : 0, [weights])
    return RecurrentWeights.types(
      place, returnsSequence: returnsSequence, width: place.size, outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let sum: RecurrentGate = weights.gate(0, of: inputs, bound: sumBound)
    let (outputs, last) = walk(
      inputs[0], reverse: reversesInput, states: takesState ? [inputs[1]] : [], stateCount: 1,
      size: sum.bias.count
    ) { (x: ArraySlice<Double>, states: inout [[Double]]) in
      states[0] = sum(x, states[0]).map { activation($0) }
    }
    return recurrentOutputs(
      [returnsSequence ? outputs : [last.map { $0[0] }], [last.map { $0[0] }]], outputCount)
  }
}
