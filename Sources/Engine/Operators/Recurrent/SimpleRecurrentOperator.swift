import Graph

/// A simple recurrent network (Elman network).
///
///     y[t] = f(clip(W x[t] + R y[t−1] + b))
///
/// - Inputs: a sequence `[sequence, batch, inputVectorSize, 1, 1]`. If ``takesState`` is set, the state `y[−1]` of
///   shape `[1, batch, outputVectorSize, 1, 1]` follows; otherwise `y[−1]` is 0. Then come `W`, `R` and, if ``hasBias``
///   is set, `b`.
/// - Outputs: the outputs of all steps, `[sequence, batch, outputVectorSize, 1, 1]`, or only the last output,
///   `[1, batch, outputVectorSize, 1, 1]`. The last state is the second output if the model names a second output.
/// - ``reversesInput``: the sequence is read from its end; outputs are in the order of reading.
/// - `clip` clips sums to ± ``sumBound``, which is 50 in layers of the NeuralNetwork format.
///
/// **Source:** `SimpleRecurrentLayerParams`.
public struct SimpleRecurrentOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "SimpleRecurrent", summary: "f(W x + R y + b) along a sequence")

  /// f, the activation.
  public var activation: RecurrentActivation
  /// Whether the outputs of all time steps are returned; otherwise only the output of the last step.
  public var returnsSequence: Bool
  /// Whether the sequence is read from its end.
  public var reversesInput: Bool
  /// Whether the second input is the initial state.
  public var takesState: Bool
  /// Whether the last input is the bias.
  public var hasBias: Bool
  /// The number of outputs: 2 if the last state is the second output, otherwise 1.
  public var outputCount: Int
  /// The largest magnitude of a sum before the activation. Larger sums are clipped.
  public var sumBound: Double

  /// Creates a recurrent network.
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

  /// The indices of the weights among the operator's inputs.
  package var weights: RecurrentWeights {
    RecurrentWeights(first: takesState ? 2 : 1, gates: 1, hasBiases: hasBias)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let extents = try RecurrentWeights.check(inputs, states: takesState ? 1 : 0, [weights])
    return RecurrentWeights.types(
      extents, returnsSequence: returnsSequence, width: extents.size, outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let sum: RecurrentGate = weights.gate(0, of: inputs, bound: sumBound)
    let (outputs, last) = runSteps(
      inputs[0], reverse: reversesInput, states: takesState ? [inputs[1]] : [], stateCount: 1,
      size: sum.bias.count
    ) { (x: ArraySlice<Double>, states: inout [[Double]]) in
      states[0] = sum(x, states[0]).map { activation($0) }
    }
    return recurrentOutputs(
      [returnsSequence ? outputs : [last.map { $0[0] }], [last.map { $0[0] }]], outputCount)
  }
}
