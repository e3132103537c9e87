import Graph
import Operators

/// Recurrent networks: simple recurrent networks, GRUs and LSTMs.
///
/// A reader throws if a node states sequence lengths other than the extent of the sequence axis.
enum RecurrentReaders {
  static let all: [NodeReader] = [
    NodeReader("RNN", as: [SimpleRecurrentOperator.self]) { node in
      let recurrence = try RecurrentNode(node, gates: 1)
      return try recurrence.results(states: 1) { direction in
        let weights = try recurrence.weights(direction, order: [0])
        return (
          SimpleRecurrentOperator(
            activation: try recurrence.activation(0, of: direction, or: "Tanh"),
            returnsSequence: true,
            reversesInput: recurrence.isReversed(direction), takesState: true, hasBias: true,
            outputCount: 2, sumBound: recurrence.bound), weights.matrices + weights.biases
        )
      }
    },
    NodeReader("GRU", as: [GRUOperator.self]) { node in
      let recurrence = try RecurrentNode(node, gates: 3)
      let isLate: Bool = node.flag("linear_before_reset")
      return try recurrence.results(states: 1) { direction in
        // ONNX stores the gates in the order update, reset, output.
        let weights = try recurrence.weights(direction, order: [0, 1, 2], separatesLast: isLate)
        return (
          GRUOperator(
            gateActivation: try recurrence.activation(0, of: direction, or: "Sigmoid"),
            activation: try recurrence.activation(1, of: direction, or: "Tanh"),
            returnsSequence: true,
            reversesInput: recurrence.isReversed(direction), takesState: true, hasBiases: true,
            outputCount: 2, reset: isLate ? .recursion(hasBias: true) : .output,
            sumBound: recurrence.bound), weights.matrices + weights.biases + weights.others
        )
      }
    },
    NodeReader("LSTM", as: [UniDirectionalLSTMOperator.self]) { node in
      let recurrence = try RecurrentNode(node, gates: 4)
      return try recurrence.results(states: 2) { direction in
        // ONNX stores the gates in the order input, output, forget, block.
        let weights = try recurrence.weights(direction, order: [0, 2, 3, 1])
        let peepholes: [Graph.ValueID] = try recurrence.peepholes(direction)
        let cell = LSTMCell(
          gateActivation: try recurrence.activation(0, of: direction, or: "Sigmoid"),
          blockActivation: try recurrence.activation(1, of: direction, or: "Tanh"),
          outputActivation: try recurrence.activation(2, of: direction, or: "Tanh"),
          hasBiases: true,
          hasPeepholes: !peepholes.isEmpty, couplesGates: node.flag("input_forget"),
          cellBound: .infinity, sumBound: recurrence.bound)
        return (
          UniDirectionalLSTMOperator(
            cell, returnsSequence: true, reversesInput: recurrence.isReversed(direction),
            takesStates: true, outputCount: 3),
          weights.matrices + weights.biases + peepholes
        )
      }
    },
  ]
}

/// A recurrent node that is being read.
struct RecurrentNode {
  private let node: ONNXNode
  private let gates: Int
  /// The direction: forward, reverse or bidirectional.
  private let direction: String
  private let size: Int
  /// Whether the batch axis comes before the sequence axis.
  private let isBatchFirst: Bool

  /// The weights of one direction.
  struct Weights {
    /// For each gate, the input matrix and then the recurrent matrix.
    var matrices: [Graph.ValueID]
    /// For each gate, the sum of its input bias and its recurrent bias.
    var biases: [Graph.ValueID]
    /// The recurrent bias of the last gate, if the operator needs it separately. Otherwise empty.
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
    let recursion: [Int] = try node.shape(node.tensor(2), "the recurrent weights")
    guard recursion.count == 3, recursion[2] > 0 else {
      throw node.invalid("the recurrent weights are \(Shape(recursion)), expected three axes.")
    }
    size = recursion[2]
    if let stated = node.optionalInt("hidden_size"), stated != size {
      throw node.invalid(
        "'hidden_size' is \(stated), but the recurrent weights are \(Shape(recursion)).")
    }
    let rank: Int = try node.rank(node.tensor(0))
    guard rank == 3 else { throw node.invalid("the input has \(rank) axes, expected 3.") }
    if let lengths = try node.optional(4) {
      let longest: Int? = try node.extents(node.tensor(0))[isBatchFirst ? 1 : 0]
      guard let known = try node.constant(lengths)?.reals, let longest,
        known.allSatisfy({ $0 == Double(longest) })
      else {
        throw node.unsupported(
          "the sequences have different lengths, expected the same length for all.")
      }
    }
  }

  /// The number of directions.
  private var directions: Int { direction == "bidirectional" ? 2 : 1 }

  /// The bound b. The inputs of activation functions are clamped to −b…b.
  var bound: Double { Double(node.float("clip", or: .infinity)) }

  /// Returns whether a direction reads the sequence from the end.
  func isReversed(_ index: Int) -> Bool { direction == "reverse" || index == 1 }

  /// Returns the activation function that the node states for a gate of a direction.
  func activation(_ index: Int, of direction: Int, or standard: String) throws
    -> RecurrentActivation
  {
    let count: Int = gates == 1 ? 1 : gates - 1
    let slot: Int = direction * count + index
    let names: [String] = node.strings("activations") ?? []
    let name: String = slot < names.count ? names[slot] : standard
    // One list holds the alphas of all activations, and another list holds the betas. An activation has an entry in a
    // list only if the activation has that parameter.
    let before: [String] = names.prefix(slot).map { $0.lowercased() }
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

  /// A tensor of weights `[directions, rows, width]`. If the width is 0, the tensor is `[directions, rows]`.
  private struct Rows {
    let tensor: ONNXTensor
    let constant: Constant?
    let count: Int
    let width: Int
  }

  private func rows(_ position: Int, _ description: String, width: Int, count: Int) throws -> Rows {
    let tensor: ONNXTensor = try node.tensor(position)
    let shape: [Int] = try node.shape(tensor, description)
    let expected: [Int] = [directions, count] + (width > 0 ? [width] : [])
    guard shape == expected else {
      throw node.invalid("\(description) are \(Shape(shape)), expected \(Shape(expected)).")
    }
    let constant: Constant? = node.builder.constant(of: tensor.id)
    return Rows(tensor: tensor, constant: constant, count: count, width: width)
  }

  /// Returns the rows of one gate of a direction. The rows begin at row `start` of that direction.
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

  /// Returns the weights of a direction. For each gate of the graph's operator, `order` holds the index of that gate in
  /// the node's order of gates.
  func weights(_ direction: Int, order: [Int], separatesLast: Bool = false) throws -> Weights {
    let shape: [Int] = try node.shape(node.tensor(1), "the weights")
    guard shape.count == 3, shape[2] > 0 else {
      throw node.invalid("the weights are \(Shape(shape)), expected three axes.")
    }
    let count: Int = gates * size
    var result = Weights(matrices: [], biases: [], others: [])
    let w: Rows = try rows(1, "the weights", width: shape[2], count: count)
    let r: Rows = try rows(2, "the recurrent weights", width: size, count: count)
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
      if separatesLast { result.others = [zeros[0]] }
      return result
    }
    let b: Rows = try rows(3, "the biases", width: 0, count: 2 * count)
    for (slot, gate) in order.enumerated() {
      let ofInput = try part(b, gate * size, of: direction)
      let ofRecursion = try part(b, count + gate * size, of: direction)
      if separatesLast, slot == order.count - 1 {
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

  /// Returns the peephole weights of a direction. The order of the gates is input, forget, output.
  func peepholes(_ direction: Int) throws -> [Graph.ValueID] {
    guard try node.optional(7) != nil else { return [] }
    let all: Rows = try rows(7, "the peepholes", width: 0, count: 3 * size)
    // ONNX stores the peephole weights in the order input, output, forget.
    return try [0, 2, 1].map { try part(all, $0 * size, of: direction) }
  }

  // MARK: - Operators and states

  /// Adds an operator for each direction and concatenates the operators' outputs. Returns Y, Y_h and, for LSTMs, Y_c.
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
      // The operator of a reversed direction returns its results in the order in which it reads the steps. So the
      // results are reversed here.
      if isReversed(direction) {
        outputs = try node.add(ReverseOperator(isReversed: [true, false, false]), outputs)
      }
      steps.append(try node.stretched(outputs, [1]))
      for slot in 0..<count {
        last[slot].append(try node.add(SqueezeOperator(axes: [3, 4]), made[1 + slot]))
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

  /// Returns the initial state of a direction as `[1, batch, size, 1, 1]`. If the node omits the state, it is zero.
  private func state(_ position: Int, _ direction: Int, like sequence: Graph.ValueID) throws
    -> Graph.ValueID
  {
    guard let given = try node.optional(position) else {
      // Makes zeros with one row per sample. This works for any batch size.
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
