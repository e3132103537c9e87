import Graph

/// An LSTM that reads a sequence in one direction.
///
/// - Inputs: a sequence `[sequence, batch, inputVectorSize, 1, 1]`. If ``takesStates`` is set, the states `y[−1]` and
///   `c[−1]` of shape `[1, batch, outputVectorSize, 1, 1]` follow; otherwise these states are 0. The last inputs are
///   the weights of the cell.
/// - Outputs: the outputs of all steps, `[sequence, batch, outputVectorSize, 1, 1]`, or only the last output,
///   `[1, batch, outputVectorSize, 1, 1]`. The last `y` and then the last `c` are further outputs if the model names
///   further outputs.
/// - Formula: see ``LSTMCell``.
/// - ``reversesInput``: the sequence is read from its end; outputs are in the order of reading.
///
/// **Source:** `UniDirectionalLSTMLayerParams`.
public struct UniDirectionalLSTMOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "UniDirectionalLSTM", summary: "long short-term memory along a sequence")

  /// The cell, which computes one step.
  public var cell: LSTMCell
  /// Whether the outputs of all time steps are returned; otherwise only the output of the last step.
  public var returnsSequence: Bool
  /// Whether the sequence is read from its end.
  public var reversesInput: Bool
  /// Whether the second and third inputs are the initial states.
  public var takesStates: Bool
  /// The number of outputs, from 1 to 3. The first output is the sequence of outputs, or only the last one. Then come
  /// the last output and the last cell state.
  public var outputCount: Int

  /// Creates an LSTM.
  public init(
    _ cell: LSTMCell, returnsSequence: Bool, reversesInput: Bool = false, takesStates: Bool = false,
    outputCount: Int = 1
  ) {
    self.cell = cell
    self.returnsSequence = returnsSequence
    self.reversesInput = reversesInput
    self.takesStates = takesStates
    self.outputCount = outputCount
  }

  /// The indices of the weights among the operator's inputs.
  package var weights: RecurrentWeights { cell.weights(from: takesStates ? 3 : 1) }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let extents = try RecurrentWeights.check(inputs, states: takesStates ? 2 : 0, [weights])
    return RecurrentWeights.types(
      extents, returnsSequence: returnsSequence, width: extents.size, outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let result = cell.run(
      inputs, weights, reverse: reversesInput, states: takesStates ? Array(inputs[1...2]) : [])
    return recurrentOutputs(
      [
        returnsSequence ? result.outputs : [result.lastOutput], [result.lastOutput],
        [result.lastCell],
      ], outputCount)
  }
}
