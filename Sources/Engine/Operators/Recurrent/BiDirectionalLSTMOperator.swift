import Graph

/// Two long short-term memories, one that walks forwards and one backwards.
///
/// - Inputs: a sequence `[sequence, batch, inputVectorSize, 1, 1]`; where they are taken, the states `y`
///   and `c` forwards, `y` and `c` backwards, else 0; then the weights of the cell forwards and of the cell
///   backwards.
/// - Outputs: `[sequence or 1, batch, 2 · outputVectorSize, 1, 1]`: the forward output, then the
///   backward one of the same time (with `sequenceOutput`) or the last of each walk; then, where the
///   model names them, the last `y` and `c` forwards and backwards.
/// - Formula: that of ``LSTMCell``.
///
/// **Source:** `BiDirectionalLSTMLayerParams`.
public struct BiDirectionalLSTMOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "BiDirectionalLSTM", summary: "long short-term memory along a sequence in both directions")

  /// What the walk from the start computes.
  public var forwards: LSTMCell
  /// What the walk from the end computes.
  public var backwards: LSTMCell
  /// Whether all outputs are given, or else the last.
  public var returnsSequence: Bool
  /// Whether the second to fifth input are the first states.
  public var takesStates: Bool
  /// 1 to 5: with the last output and cell forwards, then backwards.
  public var outputCount: Int

  /// Two long short-term memories.
  public init(
    forwards: LSTMCell, backwards: LSTMCell, returnsSequence: Bool, takesStates: Bool = false,
    outputCount: Int = 1
  ) {
    self.forwards = forwards
    self.backwards = backwards
    self.returnsSequence = returnsSequence
    self.takesStates = takesStates
    self.outputCount = outputCount
  }

  /// Where the weights stand, forwards and backwards.
  package var weights: [RecurrentWeights] {
    let ahead: RecurrentWeights = forwards.weights(from: takesStates ? 5 : 1)
    return [ahead, backwards.weights(from: ahead.end)]
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let place = try RecurrentWeights.check(inputs, states: takesStates ? 4 : 0, weights)
    return RecurrentWeights.types(
      place, returnsSequence: returnsSequence, width: 2 * place.size, outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let ahead = forwards.run(
      inputs, weights[0], reverse: false, states: takesStates ? Array(inputs[1...2]) : [])
    let back = backwards.run(
      inputs, weights[1], reverse: true, states: takesStates ? Array(inputs[3...4]) : [])
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
