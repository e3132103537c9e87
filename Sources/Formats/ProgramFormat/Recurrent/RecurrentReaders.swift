import Graph
import Operators

/// Recurrent networks: simple recurrent networks, GRUs and LSTMs.
///
/// The weights are constants. Unlike NeuralNetwork layers, these operations do not clamp the sums to which activation
/// functions are applied. A reversed direction returns its results in the order in which it reads the steps. So the
/// result of the last step comes first.
enum RecurrentReaders {
  static let all: [OperationReader] = [
    OperationReader("rnn", as: [SimpleRecurrentOperator.self]) { operation in
      let recurrence = try RecurrentOperation(operation, gates: 1)
      let weights = try recurrence.weights("", order: [0])
      let network = SimpleRecurrentOperator(
        activation: try recurrence.activation("activation", .tanh),
        returnsSequence: try operation.bool("output_sequence", or: false),
        reversesInput: try recurrence.isReversed(), takesState: true, hasBias: weights.hasBiases,
        outputCount: 2, sumBound: .infinity)
      return try recurrence.results(
        network, states: [recurrence.state("initial_h")], weights.values, 2)
    },
    OperationReader("gru", as: [GRUOperator.self]) { operation in
      let recurrence = try RecurrentOperation(operation, gates: 3)
      let resetsRecursion: Bool = try operation.bool("reset_after", or: false)
      // Programs store the gates in the order reset, output, update.
      let weights = try recurrence.gatedUnits(order: [2, 0, 1], resetsRecursion)
      let units = GRUOperator(
        gateActivation: try recurrence.activation("recurrent_activation", .sigmoid),
        activation: try recurrence.activation("activation", .tanh),
        returnsSequence: try operation.bool("output_sequence", or: false),
        reversesInput: try recurrence.isReversed(), takesState: true, hasBiases: weights.hasBiases,
        outputCount: 2,
        reset: resetsRecursion ? .recursion(hasBias: weights.hasPeepholes) : .output,
        sumBound: .infinity)
      return try recurrence.results(
        units, states: [recurrence.state("initial_h")], weights.values, 2)
    },
    OperationReader("lstm", as: [UniDirectionalLSTMOperator.self, BiDirectionalLSTMOperator.self]) {
      operation in
      try longMemory(operation)
    },
  ]

  private static func longMemory(_ operation: ProgramOperation) throws -> [ProgramResult] {
    let recurrence = try RecurrentOperation(operation, gates: 4)
    let isBidirectional: Bool = try operation.string("direction", or: "forward") == "bidirectional"
    // Programs store the gates in the order input, forget, output, block.
    let forward = try recurrence.weights("", order: [0, 1, 3, 2])
    var cell = LSTMCell(
      gateActivation: try recurrence.activation("recurrent_activation", .sigmoid),
      blockActivation: try recurrence.activation("cell_activation", .tanh),
      outputActivation: try recurrence.activation("activation", .tanh),
      hasBiases: forward.hasBiases,
      hasPeepholes: forward.hasPeepholes,
      cellBound: Double(try operation.float("clip", or: .infinity)), sumBound: .infinity)
    guard cell.cellBound >= 0 else {
      throw operation.invalid("'clip' is \(cell.cellBound), expected 0 or more.")
    }
    let returnsSequence: Bool = try operation.bool("output_sequence", or: false)
    guard isBidirectional else {
      let memory = UniDirectionalLSTMOperator(
        cell, returnsSequence: returnsSequence, reversesInput: try recurrence.isReversed(),
        takesStates: true, outputCount: 3)
      return try recurrence.results(
        memory, states: [recurrence.state("initial_h"), recurrence.state("initial_c")],
        forward.values, 3)
    }
    let backward = try recurrence.weights("_back", order: [0, 1, 3, 2])
    let forwards: LSTMCell = cell
    (cell.hasBiases, cell.hasPeepholes) = (backward.hasBiases, backward.hasPeepholes)
    let memory = BiDirectionalLSTMOperator(
      forwards: forwards, backwards: cell, returnsSequence: returnsSequence, takesStates: true,
      outputCount: 5)
    let (outputs, cells) = (try recurrence.halves("initial_h"), try recurrence.halves("initial_c"))
    let made = operation.add(
      memory,
      [recurrence.sequence, outputs[0], cells[0], outputs[1], cells[1]] + forward.values
        + backward.values,
      outputs: 5)
    let last = made.dropFirst().map { recurrence.flat($0, [0, 3, 4]) }
    let joined = ConcatNDOperator(axis: 1)
    return [
      .value(recurrence.flat(made[0], [3, 4])), .value(operation.add(joined, last[0], last[2])),
      .value(operation.add(joined, last[1], last[3])),
    ]
  }
}
