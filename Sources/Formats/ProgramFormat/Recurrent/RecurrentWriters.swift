import Graph
import Operators

extension RecurrentActivation {
  /// Returns the name that recurrent operations use for this activation function.
  fileprivate func programName(_ node: ProgramNode) throws -> String {
    guard let programName else {
      throw node.unsupported("programs cannot express the parameters of its activation \(self).")
    }
    return programName
  }

  private var programName: String? {
    switch self {
    case .sigmoid: "sigmoid"
    case .tanh: "tanh"
    case .reLU: "relu"
    case .linear(1, 0): "linear"
    case .scaledTanh(1, 1): "scaled_tanh"
    case .sigmoidHard(let alpha, let beta) where alpha == 0.2 && beta == 0.5: "hard_sigmoid"
    default: nil
    }
  }

  /// Returns true if recurrent operations have this function, and if the function gives the same results with and
  /// without clamping sums to `bound`.
  fileprivate func isExpressible(within bound: Double) -> Bool {
    programName != nil && isFlat(beyond: bound)
  }
}

extension ProgramNode {
  /// Returns the sequence as `[sequence, batch, inputs]`.
  fileprivate func sequence() throws -> MILValue {
    let x: MILValue = try real(0)
    return x.rank == 5 ? try squeeze(x, [3, 4]) : x
  }

  /// Returns an initial state as `[batch, units]`. If the operator has no initial states, the state is zero.
  fileprivate func state(_ input: Int?, _ units: Int, of sequence: MILValue) throws -> MILValue {
    if let input {
      let value: MILValue = try real(input)
      return value.rank == 5 ? try squeeze(value, [0, 3, 4]) : value
    }
    if let batch = sequence.extents[1] {
      let zeros = ReferenceTensor(try Shape.computed([batch, units], "the initial state"))
      return try block.numbers(zeros, real)
    }
    let batch = try slice(try shape(of: sequence), [(1, 2)])
    let count = try block.numbers(
      ReferenceTensor([1], integerValues: [Int64(units)], .int32), .int32)
    let size = try joined([batch, count], axis: 0)
    return try add("fill", ["shape": .value(size), "value": .real(0)], [nil, units])
  }

  /// Throws if the operator clamps sums to `bound` and this changes the results of the activation functions. Programs
  /// cannot clamp the sums.
  fileprivate func requireBounded(_ bound: Double, _ functions: RecurrentActivation...) throws {
    guard functions.allSatisfy({ $0.isFlat(beyond: bound) }) else {
      throw unsupported("its sums are clamped to ±\(bound), which programs cannot express.")
    }
  }

  /// Returns the weights from input `first` on. Throws if they are not constant, because recurrent operations need
  /// constants.
  fileprivate func weights(from first: Int) throws -> [Constant] {
    try (first..<inputCount).map { input in
      guard let constant = constant(input) else {
        throw unsupported("its weights are computed, but programs need constants.")
      }
      return constant
    }
  }

  /// Concatenates matrices or vectors along their first axis.
  fileprivate func stacked(_ parts: [Constant]) throws -> MILValue {
    var shape: Shape = parts[0].shape
    shape[0] = parts.reduce(0) { $0 + $1.shape[0] }
    let joined = Constant(shape, recipe: "joined", of: parts) {
      try parts.flatMap { try $0.floats() }
    }
    return try block.real(joined, as: real)
  }

  /// Reshapes an output to the graph's form: `[…, batch, units, 1, 1]`.
  fileprivate func graphForm(_ value: MILValue) throws -> MILValue {
    try expand(value, value.rank == 3 ? [3, 4] : [0, 3, 4])
  }

  /// Returns the types of the results of a recurrent operation: the output sequence, and then the final states.
  fileprivate func types(_ sequence: MILValue, _ units: Int, _ all: Bool, states: Int) -> [(
    ElementType, [Int?]
  )] {
    [(real, [all ? sequence.extents[0] : 1, sequence.extents[1], units])]
      + Array(repeating: (real, [sequence.extents[1], units]), count: states)
  }
}

extension Constant {
  /// The constant with every value negated.
  fileprivate var negative: Constant {
    Constant(shape, recipe: "negative", of: [self]) { [self] in try floats { -$0 } }
  }

  /// The constant with 1 added to every value.
  fileprivate var plusOne: Constant {
    Constant(shape, recipe: "plus one", of: [self]) { [self] in try floats { $0 + 1 } }
  }
}

extension LSTMCell {
  /// The number of inputs that hold weights of the cell.
  fileprivate var weightCount: Int { 8 + (hasBiases ? 4 : 0) + (hasPeepholes ? 3 : 0) }

  /// Returns the weights of the cell as operands. `suffix` is the end of the operands' names, and distinguishes the
  /// second direction. Programs store the gates in the order input, forget, output, block.
  fileprivate func operands(_ all: [Constant], _ suffix: String, _ node: ProgramNode) throws
    -> [String: MILOperand]
  {
    var matrices: [Constant] = [0, 2, 6, 4].map { all[$0] }
    var recursions: [Constant] = [1, 3, 7, 5].map { all[$0] }
    var biases: [Constant] =
      hasBiases
      ? [8, 9, 11, 10].map { all[$0] }
      : Array(repeating: .repeating(0, [recursions[0].shape[0]]), count: 4)
    var peepholes: [Constant] =
      hasPeepholes ? (0..<3).map { all[(hasBiases ? 12 : 8) + $0] } : []
    if addsForgetBias { biases[1] = biases[1].plusOne }
    if couplesGates {
      // 1 − sigmoid(x) equals sigmoid(−x).
      matrices[1] = matrices[0].negative
      recursions[1] = recursions[0].negative
      biases[1] = biases[0].negative
      if hasPeepholes { peepholes[1] = peepholes[0].negative }
    }
    var operands: [String: MILOperand] = [
      "weight_ih" + suffix: .value(try node.stacked(matrices)),
      "weight_hh" + suffix: .value(try node.stacked(recursions)),
    ]
    if hasBiases || addsForgetBias { operands["bias" + suffix] = .value(try node.stacked(biases)) }
    if hasPeepholes { operands["peephole" + suffix] = .value(try node.stacked(peepholes)) }
    return operands
  }

  fileprivate func functions(_ node: ProgramNode) throws -> [String: MILOperand] {
    try node.requireBounded(sumBound, gateActivation, blockActivation)
    switch (couplesGates, gateActivation) {
    case (false, _), (true, .sigmoid), (true, .sigmoidHard): break
    default:
      throw node.unsupported("its gates are coupled, and 1 − f(x) is not f(−x) for their function.")
    }
    var operands: [String: MILOperand] = [
      "recurrent_activation": .string(try gateActivation.programName(node)),
      "cell_activation": .string(try blockActivation.programName(node)),
      "activation": .string(try outputActivation.programName(node)),
    ]
    if cellBound.isFinite { operands["clip"] = .real(Float(cellBound)) }
    return operands
  }
}

extension UniDirectionalLSTMOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.sequence()
    let weights: [Constant] = try node.weights(from: takesStates ? 3 : 1)
    let units: Int = weights[1].shape[0]
    var operands = try cell.operands(weights, "", node)
    operands.merge(try cell.functions(node)) { $1 }
    operands["x"] = .value(x)
    operands["initial_h"] = .value(try node.state(takesStates ? 1 : nil, units, of: x))
    operands["initial_c"] = .value(try node.state(takesStates ? 2 : nil, units, of: x))
    operands["direction"] = .string(reversesInput ? "reverse" : "forward")
    operands["output_sequence"] = .bool(returnsSequence)
    let made = try node.add(
      "lstm", operands, node.types(x, units, returnsSequence, states: 2))
    return try made.prefix(outputCount).map { try node.graphForm($0) }
  }
}

extension BiDirectionalLSTMOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    guard forwards.functionNames == backwards.functionNames,
      forwards.cellBound == backwards.cellBound
    else { throw node.unsupported("its directions have different functions.") }
    let x: MILValue = try node.sequence()
    let weights: [Constant] = try node.weights(from: takesStates ? 5 : 1)
    let units: Int = weights[1].shape[0]
    var operands = try forwards.operands(weights, "", node)
    operands.merge(
      try backwards.operands(Array(weights.dropFirst(forwards.weightCount)), "_back", node)
    ) { $1 }
    operands.merge(try forwards.functions(node)) { $1 }
    func states(_ inputs: (Int, Int)) throws -> MILValue {
      let ahead = try node.state(takesStates ? inputs.0 : nil, units, of: x)
      let back = try node.state(takesStates ? inputs.1 : nil, units, of: x)
      return try node.joined([ahead, back], axis: 1)
    }
    operands["x"] = .value(x)
    operands["initial_h"] = .value(try states((1, 3)))
    operands["initial_c"] = .value(try states((2, 4)))
    operands["direction"] = .string("bidirectional")
    operands["output_sequence"] = .bool(returnsSequence)
    let made = try node.add(
      "lstm", operands, node.types(x, 2 * units, returnsSequence, states: 2))
    let y: MILValue = try node.graphForm(made[0])
    guard outputCount > 1 else { return [y] }
    func half(_ value: MILValue, _ isBack: Bool) throws -> MILValue {
      try node.graphForm(
        try node.slice(value, [(nil, nil), isBack ? (units, nil) : (nil, units)]))
    }
    let last: [MILValue] = [
      try half(made[1], false), try half(made[2], false), try half(made[1], true),
      try half(made[2], true),
    ]
    return [y] + last.prefix(outputCount - 1)
  }
}

extension LSTMCell {
  fileprivate var functionNames: [RecurrentActivation] {
    [gateActivation, blockActivation, outputActivation]
  }
}

extension GRUOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.requireBounded(sumBound, gateActivation, activation)
    let x: MILValue = try node.sequence()
    let weights: [Constant] = try node.weights(from: takesState ? 2 : 1)
    let units: Int = weights[1].shape[0]
    // Programs store the gates in the order reset, output, update.
    var operands: [String: MILOperand] = [
      "x": .value(x), "initial_h": .value(try node.state(takesState ? 1 : nil, units, of: x)),
      "weight_ih": .value(try node.stacked([2, 4, 0].map { weights[$0] })),
      "weight_hh": .value(try node.stacked([3, 5, 1].map { weights[$0] })),
      "direction": .string(reversesInput ? "reverse" : "forward"),
      "output_sequence": .bool(returnsSequence),
      "recurrent_activation": .string(try gateActivation.programName(node)),
      "activation": .string(try activation.programName(node)),
    ]
    let zeros = Constant.repeating(0, [units])
    let biases: [Constant]? = hasBiases ? [7, 8, 6].map { weights[$0] } : nil
    switch reset {
    case .output:
      if let biases { operands["bias"] = .value(try node.stacked(biases)) }
    case .recursion(let hasBias):
      operands["reset_after"] = .bool(true)
      if let biases { operands["input_bias"] = .value(try node.stacked(biases)) }
      if hasBias {
        let own: Constant = weights[hasBiases ? 9 : 6]
        operands["bias"] = .value(try node.stacked([zeros, own, zeros]))
      }
    }
    let made = try node.add(
      "gru", operands, node.types(x, units, returnsSequence, states: 1))
    return try made.prefix(outputCount).map { try node.graphForm($0) }
  }
}

extension SimpleRecurrentOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.requireBounded(sumBound, activation)
    let x: MILValue = try node.sequence()
    let weights: [Constant] = try node.weights(from: takesState ? 2 : 1)
    let units: Int = weights[1].shape[0]
    var operands: [String: MILOperand] = [
      "x": .value(x), "initial_h": .value(try node.state(takesState ? 1 : nil, units, of: x)),
      "weight_ih": .value(try node.block.real(weights[0], as: node.real)),
      "weight_hh": .value(try node.block.real(weights[1], as: node.real)),
      "direction": .string(reversesInput ? "reverse" : "forward"),
      "output_sequence": .bool(returnsSequence),
      "activation": .string(try activation.programName(node)),
    ]
    if hasBias { operands["bias"] = .value(try node.block.real(weights[2], as: node.real)) }
    let made = try node.add(
      "rnn", operands, node.types(x, units, returnsSequence, states: 1))
    return try made.prefix(outputCount).map { try node.graphForm($0) }
  }
}

extension Graph {
  /// Replaces recurrent operators that no operation expresses by loops. An operation cannot state every parameter of an
  /// activation function, and does not clamp sums. It also cannot express an LSTM with coupled gates if the gate
  /// function f has 1 − f(x) ≠ f(−x).
  mutating func decomposeRecurrencesForPrograms() {
    decomposeRecurrences { operation in
      switch operation {
      case let network as SimpleRecurrentOperator:
        return !network.activation.isExpressible(within: network.sumBound)
      case let units as GRUOperator:
        return ![units.gateActivation, units.activation].allSatisfy {
          $0.isExpressible(within: units.sumBound)
        }
      case let memory as UniDirectionalLSTMOperator:
        let cell: LSTMCell = memory.cell
        let functions: [RecurrentActivation] = [cell.gateActivation, cell.blockActivation]
        return !functions.allSatisfy { $0.isExpressible(within: cell.sumBound) }
          || !cell.outputActivation.isExpressible(within: .infinity)
          || cell.couplesGates
            && ![.sigmoid, .sigmoidHard(alpha: 0.2, beta: 0.5)]
              .contains(cell.gateActivation)
      default: return false
      }
    }
  }
}
