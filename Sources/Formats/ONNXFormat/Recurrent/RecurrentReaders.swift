import Graph
import Operators

/// Walks along a sequence: simple networks, gated units, long short-term memories.
///
/// Sequences of different lengths are refused unless all are as long as the tensor.
enum RecurrentReaders {
  static let all: [NodeReader] = [
    NodeReader("RNN", as: [SimpleRecurrentOperator.self]) { node in
      let walk = try RecurrentNode(node, gates: 1)
      return try walk.results(states: 1) { direction in
        let weights = try walk.weights(direction, order: [0])
        return (
          SimpleRecurrentOperator(
            activation: try walk.activation(0, of: direction, or: "Tanh"), returnsSequence: true,
            reversesInput: walk.isReversed(direction), takesState: true, hasBias: true,
            outputCount: 2, sumBound: walk.bound), weights.matrices + weights.biases
        )
      }
    },
    NodeReader("GRU", as: [GRUOperator.self]) { node in
      let walk = try RecurrentNode(node, gates: 3)
      let isLate: Bool = node.flag("linear_before_reset")
      return try walk.results(states: 1) { direction in
        // Stated are the update, the reset and the output gate.
        let weights = try walk.weights(direction, order: [0, 1, 2], keepsLastApart: isLate)
        return (
          GRUOperator(
            gateActivation: try walk.activation(0, of: direction, or: "Sigmoid"),
            activation: try walk.activation(1, of: direction, or: "Tanh"), returnsSequence: true,
            reversesInput: walk.isReversed(direction), takesState: true, hasBiases: true,
            outputCount: 2, reset: isLate ? .recursion(hasBias: true) : .output,
            sumBound: walk.bound), weights.matrices + weights.biases + weights.others
        )
      }
    },
    NodeReader("LSTM", as: [UniDirectionalLSTMOperator.self]) { node in
      let walk = try RecurrentNode(node, gates: 4)
      return try walk.results(states: 2) { direction in
        // Stated are the input, the output, the forget and the block gate.
        let weights = try walk.weights(direction, order: [0, 2, 3, 1])
        let peepholes: [Graph.ValueID] = try walk.peepholes(direction)
        let cell = LSTMCell(
          gateActivation: try walk.activation(0, of: direction, or: "Sigmoid"),
          blockActivation: try walk.activation(1, of: direction, or: "Tanh"),
          outputActivation: try walk.activation(2, of: direction, or: "Tanh"), hasBiases: true,
          hasPeepholes: !peepholes.isEmpty, couplesGates: node.flag("input_forget"),
          cellBound: .infinity, sumBound: walk.bound)
        return (
          UniDirectionalLSTMOperator(
            cell, returnsSequence: true, reversesInput: walk.isReversed(direction),
            takesStates: true, outputCount: 3),
          weights.matrices + weights.biases + peepholes
        )
      }
    },
  ]
}

/// A recurrent node while it is read.
struct RecurrentNode {
  private let node: ONNXNode
  private let gates: Int
  /// forward, reverse or bidirectional.
  private let direction: String
  private let size: Int
  /// Whether the batch comes before the sequence.
  private let isBatchFirst: Bool

  /// Weights of one direction.
  struct Weights {
    /// Matrices and recursions in turns.
    var matrices: [Graph.ValueID]
    /// The sums of both biases.
    var biases: [Graph.ValueID]
    /// The recursion's bias of the last gate, where it stays apart.
    var others: [Graph.ValueID]
  }

  init(_ node: ONNXNode, gates: Int) throws {
    self.node = node
    self.gates = gates
    direction = node.string("direction", or: "forward")
    guard ["forward", "reverse", "bidirectional"].contains(direction) else {
      throw node.invalid(
        "the direction is '\(direction)', expected forward, reverse or bidirectional.")
    }
    isBatchFirst = node.version >= 14 && node.flag("layout")
    let recursion: [Int] = try node.shape(node.tensor(2), "the recursion's weights")
    guard recursion.count == 3, recursion[2] > 0 else {
      throw node.invalid("the recursion's weights are \(Shape(recursion)), expected three axes.")
    }
    size = recursion[2]
    if let stated = node.optionalInt("hidden_size"), stated != size {
      throw node.invalid(
        "'hidden_size' is \(stated), but the recursion's weights are \(Shape(recursion)).")
    }
    let rank: Int = try node.rank(node.tensor(0))
    guard rank == 3 else { throw node.invalid("the input has \(rank) axes, expected 3.") }
    if let lengths = try node.optional(4) {
      let longest: Int? = try node.extents(node.tensor(0))[isBatchFirst ? 1 : 0]
      guard let known = try node.constant(lengths)?.reals, let longest,
        known.allSatisfy({ $0 == Double(longest) })
      else {
        throw node.unsupported("the sequences have lengths of their own, expected one for all.")
      }
    }
  }

  /// The number of directions.
  private var directions: Int { direction == "bidirectional" ? 2 : 1 }

  /// The largest magnitude of what an activation is given.
  var bound: Double { Double(node.float("clip", or: .infinity)) }

  /// Whether a direction reads from the end.
  func isReversed(_ index: Int) -> Bool { direction == "reverse" || index == 1 }

  /// The function that the node names for a gate of a direction.
  func activation(_ index: Int, of direction: Int, or standard: String) throws
    -> RecurrentActivation
  {
    let count: Int = gates == 1 ? 1 : gates - 1
    let place: Int = direction * count + index
    let names: [String] = node.strings("activations") ?? []
    let name: String = place < names.count ? names[place] : standard
    // Functions take the numbers that they have one after the other.
    let before: [String] = names.prefix(place).map { $0.lowercased() }
    func number(_ attribute: String, of functions: Set<String>, or standard: Float) -> Float {
      let numbers: [Float] = node.floats(attribute) ?? []
      let position: Int = before.count { functions.contains($0) }
      return position < numbers.count ? numbers[position] : standard
    }
    let both: Set<String> = ["affine", "scaledtanh", "hardsigmoid"]
    let more: Set<String> = both.union(["leakyrelu", "thresholdedrelu", "elu"])
    func alpha(_ value: Float) -> Float { number("activation_alpha", of: more, or: value) }
    func beta(_ value: Float) -> Float { number("activation_beta", of: both, or: value) }
    switch name.lowercased() {
    case "sigmoid": return .sigmoid
    case "tanh": return .tanh
    case "relu": return .reLU
    case "affine": return .linear(alpha: alpha(1), beta: beta(0))
    case "scaledtanh": return .scaledTanh(alpha: alpha(1), beta: beta(1))
    case "hardsigmoid": return .sigmoidHard(alpha: alpha(0.2), beta: beta(0.5))
    default:
      throw node.unsupported(
        "the activation '\(name)' is not computed, expected Sigmoid, Tanh, Relu, Affine, ScaledTanh or HardSigmoid."
      )
    }
  }

  // MARK: - Weights

  /// Rows of the weights of a direction; of a tensor `[directions, rows]` where the width is 0.
  private struct Rows {
    let tensor: ONNXTensor
    let constant: Constant?
    let count: Int
    let width: Int
  }

  private func rows(_ position: Int, _ words: String, width: Int, count: Int) throws -> Rows {
    let tensor: ONNXTensor = try node.tensor(position)
    let shape: [Int] = try node.shape(tensor, words)
    let expected: [Int] = [directions, count] + (width > 0 ? [width] : [])
    guard shape == expected else {
      throw node.invalid("\(words) are \(Shape(shape)), expected \(Shape(expected)).")
    }
    let constant: Constant? = node.builder.constant(of: tensor.id)
    return Rows(tensor: tensor, constant: constant, count: count, width: width)
  }

  /// As many rows as there are units, from a row on of a direction.
  private func part(_ rows: Rows, _ start: Int, of direction: Int) throws -> Graph.ValueID {
    let first: Int = direction * rows.count + start
    let flat: [Int] = [directions * rows.count] + (rows.width > 0 ? [rows.width] : [])
    if let constant = rows.constant {
      return node.builder.addConstant(
        constant.reshaped(to: Shape(flat)).rows(first..<first + size), name: node.name)
    }
    return try node.sliced(
      node.reshaped(rows.tensor.id, to: flat), axis: 0, rank: flat.count, from: first,
      to: first + size)
  }

  /// The weights of a direction; `order` says where each gate of the operator stands in the node.
  func weights(_ direction: Int, order: [Int], keepsLastApart: Bool = false) throws -> Weights {
    let shape: [Int] = try node.shape(node.tensor(1), "the weights")
    guard shape.count == 3, shape[2] > 0 else {
      throw node.invalid("the weights are \(Shape(shape)), expected three axes.")
    }
    let count: Int = gates * size
    var result = Weights(matrices: [], biases: [], others: [])
    let w: Rows = try rows(1, "the weights", width: shape[2], count: count)
    let r: Rows = try rows(2, "the recursion's weights", width: size, count: count)
    for gate in order {
      result.matrices += [
        try part(w, gate * size, of: direction), try part(r, gate * size, of: direction),
      ]
    }
    guard try node.optional(3) != nil else {
      let zeros: [Graph.ValueID] = order.map { _ in
        node.builder.addConstant(.repeating(0, [size]), name: node.name)
      }
      result.biases = zeros
      if keepsLastApart { result.others = [zeros[0]] }
      return result
    }
    let b: Rows = try rows(3, "the biases", width: 0, count: 2 * count)
    for (place, gate) in order.enumerated() {
      let ofInput = try part(b, gate * size, of: direction)
      let ofRecursion = try part(b, count + gate * size, of: direction)
      if keepsLastApart, place == order.count - 1 {
        result.biases.append(ofInput)
        result.others = [ofRecursion]
      } else if let first = node.builder.graph[ofInput].constant,
        let second = node.builder.graph[ofRecursion].constant
      {
        result.biases.append(node.builder.addConstant(first.plus(second), name: node.name))
      } else {
        result.biases.append(try node.join(.add, ofInput, ofRecursion))
      }
    }
    return result
  }

  /// The peepholes of a direction: of the input, the forget and the output gate.
  func peepholes(_ direction: Int) throws -> [Graph.ValueID] {
    guard try node.optional(7) != nil else { return [] }
    let all: Rows = try rows(7, "the peepholes", width: 0, count: 3 * size)
    // Stated are input, output, forget.
    return try [0, 2, 1].map { try part(all, $0 * size, of: direction) }
  }

  // MARK: - Walking

  /// Adds an operator for each direction and joins what they make: Y, Y_h and, of two states, Y_c.
  func results(
    states count: Int, _ make: (Int) throws -> (any Operator, [Graph.ValueID])
  ) throws -> [ONNXTensor] {
    let x: ONNXTensor = try node.tensor(0)
    let sequence: Graph.ValueID = isBatchFirst ? try node.transposed(x.id, [1, 0, 2]) : x.id
    let stretched: Graph.ValueID = try node.stretched(sequence, [3, 4])
    var steps: [Graph.ValueID] = []
    var last = [[Graph.ValueID]](repeating: [], count: count)
    for direction in 0..<directions {
      let (operation, weights) = try make(direction)
      let states: [Graph.ValueID] = try (0..<count).map {
        try state(5 + $0, direction, like: sequence)
      }
      let made = try node.add(operation, [stretched] + states + weights, outputs: 1 + count)
      var outputs: Graph.ValueID = try node.add(SqueezeOperator(axes: [3, 4]), made[0])
      // What is read from the end stands in the order of reading.
      if isReversed(direction) {
        outputs = try node.add(ReverseOperator(isReversed: [true, false, false]), outputs)
      }
      steps.append(try node.stretched(outputs, [1]))
      for place in 0..<count {
        last[place].append(try node.add(SqueezeOperator(axes: [3, 4]), made[1 + place]))
      }
    }
    func joined(_ values: [Graph.ValueID], _ axis: Int) throws -> Graph.ValueID {
      values.count == 1 ? values[0] : try node.add(ConcatNDOperator(axis: axis), values)
    }
    var y: Graph.ValueID = try joined(steps, 1)
    var ends: [Graph.ValueID] = try last.map { try joined($0, 0) }
    if isBatchFirst {
      y = try node.transposed(y, [2, 0, 1, 3])
      ends = try ends.map { try node.transposed($0, [1, 0, 2]) }
    }
    return ([y] + ends).map { ONNXTensor($0, x.element) }
  }

  /// The first state of a direction as `[1, batch, size, 1, 1]`; zeros where it is left out.
  private func state(_ position: Int, _ direction: Int, like sequence: Graph.ValueID) throws
    -> Graph.ValueID
  {
    guard let given = try node.optional(position) else {
      // Zeros as long as the batch, whatever that is.
      let first = try node.sliced(sequence, axis: 0, rank: 3, from: 0, to: 1)
      let column = try node.sliced(first, axis: 2, rank: 3, from: 0, to: 1)
      let zeros = try node.add(FillLikeOperator(value: 0), column)
      let wide = try node.add(TileOperator(repetitions: [1, 1, size]), zeros)
      return try node.stretched(wide, [3, 4])
    }
    var value: Graph.ValueID = given.id
    if isBatchFirst { value = try node.transposed(value, [1, 0, 2]) }
    if directions > 1 {
      value = try node.sliced(value, axis: 0, rank: 3, from: direction, to: direction + 1)
    }
    return try node.stretched(value, [3, 4])
  }
}
