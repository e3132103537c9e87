import Graph
import Operators

/// A recurrent operation that is being read. This type returns the sequence in the shape that recurrent operators need,
/// and the weights gate by gate.
struct RecurrentOperation {
  /// The weights of one direction, as inputs of a recurrent operator.
  struct Weights {
    var values: [Graph.ValueID]
    var hasBiases: Bool
    var hasPeepholes: Bool
  }

  /// The sequence as `[sequence, batch, inputs, 1, 1]`.
  let sequence: Graph.ValueID
  private let operation: ProgramOperation
  private let gates: Int

  init(_ operation: ProgramOperation, gates: Int) throws {
    self.operation = operation
    self.gates = gates
    let x = try operation.tensor("x")
    guard x.rank == 3 else {
      throw operation.invalid(
        "'x' has \(x.rank.map { "rank \($0)" } ?? "any rank"), expected 3: sequence, batch, inputs."
      )
    }
    sequence = operation.add(ExpandDimsOperator(axes: [3, 4]), x.id)
  }

  /// Returns an initial state, `[batch, units]`.
  func state(_ name: String) throws -> Graph.ValueID {
    guard try operation.rank(name) == 2 else {
      throw operation.invalid("'\(name)' has rank \(try operation.rank(name)), expected 2.")
    }
    return try operation.tensor(name).id
  }

  /// Splits an initial state of a bidirectional operation into two halves: first the forward half, then the backward
  /// half.
  func halves(_ name: String) throws -> [Graph.ValueID] {
    operation.add(SplitNDOperator(axis: 1, parts: .count(2)), [try state(name)], outputs: 2)
  }

  /// Returns whether the operation reads the sequence from the end.
  func isReversed() throws -> Bool {
    switch try operation.string("direction", or: "forward") {
    case "forward": return false
    case "reverse": return true
    case let other:
      throw operation.invalid("the direction is '\(other)', expected 'forward' or 'reverse'.")
    }
  }

  /// Returns the activation that an input names, or `standard` if the input is omitted.
  func activation(_ name: String, _ standard: RecurrentActivation) throws -> RecurrentActivation {
    switch try operation.optionalString(name)?.lowercased() {
    case nil: return standard
    case "sigmoid"?: return .sigmoid
    case "tanh"?: return .tanh
    case "relu"?: return .reLU
    case "linear"?: return .linear(alpha: 1, beta: 0)
    case "scaled_tanh"?: return .scaledTanh(alpha: 1, beta: 1)
    case "hard_sigmoid"?, "sigmoid_hard"?: return .sigmoidHard(alpha: 0.2, beta: 0.5)
    case let other?:
      throw operation.invalid(
        "the activation '\(other)' is not known, expected sigmoid, tanh, relu, linear, scaled_tanh or hard_sigmoid."
      )
    }
  }

  /// Removes axes of extent one from an output.
  func flat(_ value: Graph.ValueID, _ axes: [Int]) -> Graph.ValueID {
    operation.add(SqueezeOperator(axes: axes), value)
  }

  /// Adds the operator of one direction. Returns the outputs, and the final states as matrices.
  func results(
    _ network: any Operator, states: [Graph.ValueID], _ weights: [Graph.ValueID], _ count: Int
  ) throws -> [ProgramResult] {
    let made = operation.add(network, [sequence] + states + weights, outputs: count)
    return [.value(flat(made[0], [3, 4]))] + made.dropFirst().map { .value(flat($0, [0, 3, 4])) }
  }
}

// MARK: - Weights

extension RecurrentOperation {
  private func constant(_ name: String) throws -> Constant {
    guard let constant = try operation.tensor(name).constant else {
      throw operation.unsupported("'\(name)' is computed, expected a constant.")
    }
    return constant
  }

  /// Splits a tensor that holds the rows of several gates. Returns the parts in the order in which the operator needs
  /// the gates.
  private func parts(
    _ constant: Constant, _ name: String, order: [Int], size: Int, width: Int?
  ) throws -> [Constant] {
    let shape: Shape = width.map { [order.count * size, $0] } ?? [order.count * size]
    guard constant.shape == shape else {
      throw operation.invalid("'\(name)' is \(constant.shape), expected \(shape).")
    }
    return order.map { constant.rows($0 * size..<($0 + 1) * size) }
  }

  private func optionalConstant(_ name: String) throws -> Constant? {
    operation.has(name) ? try constant(name) : nil
  }

  private func held(_ constants: [Constant]) -> [Graph.ValueID] {
    constants.map { operation.builder.addConstant($0, name: operation.name) }
  }

  /// Returns the number of units, and the matrices. For each gate, the input matrix comes before the recurrent matrix.
  private func matrices(_ suffix: String, order: [Int]) throws -> (size: Int, all: [Constant]) {
    let recursion: Constant = try constant("weight_hh" + suffix)
    let matrix: Constant = try constant("weight_ih" + suffix)
    guard recursion.shape.rank == 2, matrix.shape.rank == 2, recursion.shape[1] > 0,
      matrix.shape[1] > 0
    else {
      throw operation.invalid(
        "the weights are \(matrix.shape) and \(recursion.shape), expected matrices with at least one column."
      )
    }
    let (size, width) = (recursion.shape[1], matrix.shape[1])
    let columns = try parts(matrix, "weight_ih" + suffix, order: order, size: size, width: width)
    let rows = try parts(recursion, "weight_hh" + suffix, order: order, size: size, width: size)
    return (size, zip(columns, rows).flatMap { [$0, $1] })
  }

  /// Returns the weights of a direction. For each gate of the graph's operator, `order` holds the index of that gate in
  /// the program's order of gates.
  func weights(_ suffix: String, order: [Int]) throws -> Weights {
    let (size, matrices) = try matrices(suffix, order: order)
    var all: [Constant] = matrices
    let bias: Constant? = try optionalConstant("bias" + suffix)
    if let bias { all += try parts(bias, "bias" + suffix, order: order, size: size, width: nil) }
    let peephole: Constant? = try optionalConstant("peephole" + suffix)
    if let peephole {
      all += try parts(
        peephole, "peephole" + suffix, order: [0, 1, 2], size: size, width: nil)
    }
    return Weights(values: held(all), hasBiases: bias != nil, hasPeepholes: peephole != nil)
  }

  /// Returns the weights of a GRU. A GRU may have input biases as well as recurrent biases. This function adds the two
  /// biases of each gate. If the reset gate acts after the recurrent matrix product, the recurrent bias of the output
  /// gate stays separate.
  func gatedUnits(order: [Int], _ resetsRecursion: Bool) throws -> Weights {
    let (size, matrices) = try matrices("", order: order)
    func biases(_ name: String) throws -> [Constant]? {
      try optionalConstant(name).map {
        try parts($0, name, order: order, size: size, width: nil)
      }
    }
    let (ofInput, ofRecursion) = (try biases("input_bias"), try biases("bias"))
    var all: [Constant] = []
    for gate in order.indices {
      let isApart: Bool = resetsRecursion && gate == 2
      let recursion: Constant? = isApart ? nil : ofRecursion?[gate]
      switch (ofInput?[gate], recursion) {
      case (let first?, let second?): all.append(first.plus(second))
      case (let one?, nil), (nil, let one?): all.append(one)
      case (nil, nil): all.append(.repeating(0, [size]))
      }
    }
    let hasBiases: Bool = ofInput != nil || ofRecursion != nil
    let apart: [Constant] = resetsRecursion ? ofRecursion.map { [$0[2]] } ?? [] : []
    return Weights(
      values: held(matrices + (hasBiases ? all : []) + apart), hasBiases: hasBiases,
      hasPeepholes: !apart.isEmpty)
  }
}
