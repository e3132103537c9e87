import Graph
import Operators

/// Walks along a sequence: simple networks, gated units, long short-term memories.
///
/// Weights are constants. Sums are kept within no bounds, other than in layers of NeuralNetwork; the results of
/// a reversed walk stand in the order of reading.
enum RecurrentReaders {
  static let all: [OperationReader] = [
    OperationReader("rnn", as: [SimpleRecurrentOperator.self]) { operation in
      let walk = try RecurrentOperation(operation, gates: 1)
      let weights = try walk.weights("", order: [0])
      let network = SimpleRecurrentOperator(
        activation: try walk.activation("activation", .tanh),
        returnsSequence: try operation.bool("output_sequence", or: false),
        reversesInput: try walk.isReversed(), takesState: true, hasBias: weights.hasBiases,
        outputCount: 2, sumBound: .infinity)
      return try walk.results(network, states: [walk.state("initial_h")], weights.values, 2)
    },
    OperationReader("gru", as: [GRUOperator.self]) { operation in
      let walk = try RecurrentOperation(operation, gates: 3)
      let resetsRecursion: Bool = try operation.bool("reset_after", or: false)
      // Stated are the reset, the output and the update gate.
      let weights = try walk.gatedUnits(order: [2, 0, 1], resetsRecursion)
      let units = GRUOperator(
        gateActivation: try walk.activation("recurrent_activation", .sigmoid),
        activation: try walk.activation("activation", .tanh),
        returnsSequence: try operation.bool("output_sequence", or: false),
        reversesInput: try walk.isReversed(), takesState: true, hasBiases: weights.hasBiases,
        outputCount: 2,
        reset: resetsRecursion ? .recursion(hasBias: weights.hasPeepholes) : .output,
        sumBound: .infinity)
      return try walk.results(units, states: [walk.state("initial_h")], weights.values, 2)
    },
    OperationReader("lstm", as: [UniDirectionalLSTMOperator.self, BiDirectionalLSTMOperator.self]) {
      operation in
      try longMemory(operation)
    },
  ]

  private static func longMemory(_ operation: ProgramOperation) throws -> [ProgramResult] {
    let walk = try RecurrentOperation(operation, gates: 4)
    let isBidirectional: Bool = try operation.string("direction", or: "forward") == "bidirectional"
    // Stated are the input, the forget, the output and the block gate.
    let ahead = try walk.weights("", order: [0, 1, 3, 2])
    var cell = LSTMCell(
      gateActivation: try walk.activation("recurrent_activation", .sigmoid),
      blockActivation: try walk.activation("cell_activation", .tanh),
      outputActivation: try walk.activation("activation", .tanh), hasBiases: ahead.hasBiases,
      hasPeepholes: ahead.hasPeepholes,
      cellBound: Double(try operation.float("clip", or: .infinity)), sumBound: .infinity)
    guard cell.cellBound >= 0 else {
      throw operation.invalid("'clip' is \(cell.cellBound), expected 0 or more.")
    }
    let returnsSequence: Bool = try operation.bool("output_sequence", or: false)
    guard isBidirectional else {
      let memory = UniDirectionalLSTMOperator(
        cell, returnsSequence: returnsSequence, reversesInput: try walk.isReversed(),
        takesStates: true, outputCount: 3)
      return try walk.results(
        memory, states: [walk.state("initial_h"), walk.state("initial_c")], ahead.values, 3)
    }
    let back = try walk.weights("_back", order: [0, 1, 3, 2])
    let forwards: LSTMCell = cell
    (cell.hasBiases, cell.hasPeepholes) = (back.hasBiases, back.hasPeepholes)
    let memory = BiDirectionalLSTMOperator(
      forwards: forwards, backwards: cell, returnsSequence: returnsSequence, takesStates: true,
      outputCount: 5)
    let (outputs, cells) = (try walk.halves("initial_h"), try walk.halves("initial_c"))
    let made = operation.add(
      memory,
      [walk.sequence, outputs[0], cells[0], outputs[1], cells[1]] + ahead.values + back.values,
      outputs: 5)
    let last = made.dropFirst().map { walk.flat($0, [0, 3, 4]) }
    let joined = ConcatNDOperator(axis: 1)
    return [
      .value(walk.flat(made[0], [3, 4])), .value(operation.add(joined, last[0], last[2])),
      .value(operation.add(joined, last[1], last[3])),
    ]
  }
}
