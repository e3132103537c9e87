import Graph

/// A long short-term memory that walks in one direction.
///
/// - Inputs: a sequence `[sequence, batch, inputVectorSize, 1, 1]`; where they are taken, the states
///   `y[−1]` and `c[−1]` of shape `[1, batch, outputVectorSize, 1, 1]`, else 0; then the weights of the
///   cell.
/// - Outputs: the outputs of all steps or the last one, `[sequence or 1, batch, outputVectorSize,
///   1, 1]`, then, where the model names them, the last `y` and `c`.
/// - Formula: that of ``LSTMCell``.
/// - ``reversesInput``: the sequence is read from its end; outputs stand in the order of reading.
///
/// **Source:** `UniDirectionalLSTMLayerParams`.
public struct UniDirectionalLSTMOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "UniDirectionalLSTM", summary: "long short-term memory along a sequence")

  /// What is computed of a vector and the states.
  public var cell: LSTMCell
  /// Whether all outputs are given, or else the last.
  public var returnsSequence: Bool
  /// Whether the sequence is read from its end.
  public var reversesInput: Bool
  /// Whether the second and third input are the first states.
  public var takesStates: Bool
  /// 1 to 3: with the last output and the last cell.
  public var outputCount: Int

  /// A long short-term memory.
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

  /// Where the weights stand.
  package var weights: RecurrentWeights { cell.weights(from: takesStates ? 3 : 1) }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let place = try RecurrentWeights.check(inputs, states: takesStates ? 2 : 0, [weights])
    return RecurrentWeights.types(
      place, returnsSequence: returnsSequence, width: place.size, outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let walked = cell.run(
      inputs, weights, reverse: reversesInput, states: takesStates ? Array(inputs[1...2]) : [])
    return recurrentOutputs(
      [
        returnsSequence ? walked.outputs : [walked.lastOutput], [walked.lastOutput],
        [walked.lastCell],
      ], outputCount)
  }
}
