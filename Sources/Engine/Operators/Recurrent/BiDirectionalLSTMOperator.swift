import Graph

/// Two LSTMs, one that reads the sequence forwards and one that reads it backwards.
///
/// - Inputs: a sequence `[sequence, batch, inputVectorSize, 1, 1]`. If ``takesStates`` is set, the initial `y` and `c`
///   of the forward cell and the initial `y` and `c` of the backward cell follow. Otherwise all initial states are 0.
///   The last inputs are the weights of the forward cell, then the weights of the backward cell.
/// - First output: if ``returnsSequence`` is set, `[sequence, batch, 2 · outputVectorSize, 1, 1]`, in which every time
///   step holds its forward output followed by its backward output. Otherwise `[1, batch, 2 · outputVectorSize, 1, 1]`
///   with the last output of each direction.
/// - Further outputs, if the model names more than one output: the last `y` and `c` of the forward cell, then the last
///   `y` and `c` of the backward cell.
/// - Formula: see ``LSTMCell``.
///
/// **Source:** `BiDirectionalLSTMLayerParams`.
public struct BiDirectionalLSTMOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "BiDirectionalLSTM", summary: "long short-term memory along a sequence in both directions")

  /// The cell of the forward direction.
  public var forwards: LSTMCell
  /// The cell of the backward direction.
  public var backwards: LSTMCell
  /// Whether the outputs of all time steps are returned; otherwise only the last output of each direction.
  public var returnsSequence: Bool
  /// Whether the second to fifth inputs are the initial states.
  public var takesStates: Bool
  /// The number of outputs, from 1 to 5. The first output is the sequence of outputs, or only the last ones. Then come
  /// the last output and cell state of the forward cell, then those of the backward cell.
  public var outputCount: Int

  /// Creates a bidirectional LSTM.
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

  /// The indices of the weights among the operator's inputs: one element for the forward cell, then one for the
  /// backward cell.
  package var weights: [RecurrentWeights] {
    let forward: RecurrentWeights = forwards.weights(from: takesStates ? 5 : 1)
    return [forward, backwards.weights(from: forward.end)]
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let extents = try RecurrentWeights.check(inputs, states: takesStates ? 4 : 0, weights)
    return RecurrentWeights.types(
      extents, returnsSequence: returnsSequence, width: 2 * extents.size, outputs: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let forward = forwards.run(
      inputs, weights[0], reverse: false, states: takesStates ? Array(inputs[1...2]) : [])
    let backward = backwards.run(
      inputs, weights[1], reverse: true, states: takesStates ? Array(inputs[3...4]) : [])
    func joined(_ first: [[Double]], _ second: [[Double]]) -> [[Double]] {
      zip(first, second).map { $0 + $1 }
    }
    let outputs: [[[Double]]] =
      returnsSequence
      ? zip(forward.outputs, backward.outputs.reversed()).map { joined($0, $1) }
      : [joined(forward.lastOutput, backward.lastOutput)]
    return recurrentOutputs(
      [
        outputs, [forward.lastOutput], [forward.lastCell], [backward.lastOutput],
        [backward.lastCell],
      ],
      outputCount)
  }
}
