import Graph
import Operators

/// Recurrent networks.
enum RecurrentWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(
      UniDirectionalLSTMOperator.self,
      all: { operation, node in
        let made: [String] = try node.recurrentNode(
          operation.cell, first: operation.takesStates ? 3 : 1,
          statesFrom: operation.takesStates ? 1 : nil, reverses: operation.reversesInput)
        return node.outputs(
          made, operation.returnsSequence, operation.outputCount, operation.reversesInput)
      }),
    OperatorWriting(
      BiDirectionalLSTMOperator.self,
      all: { operation, node in
        let weights: [RecurrentWeights] = operation.weights
        let nodes: [[String]] = try [operation.forwards, operation.backwards].enumerated().map {
          try node.recurrentNode(
            $1, first: operation.takesStates && $0 == 0 ? 5 : $0 == 0 ? 1 : weights[0].end,
            statesFrom: operation.takesStates ? 1 + 2 * $0 : nil, reverses: $0 == 1)
        }
        // Each node returns the outputs of all steps in time order, `[sequence, 1, batch, size]`, or only the output of
        // the last step.
        let sides: [String] = nodes.map {
          operation.returnsSequence ? node.emit("Squeeze", [$0[0], node.ints([1])]) : $0[1]
        }
        let joined: String = node.emit("Concat", sides, .int("axis", 2))
        let states: [String] = nodes.flatMap { $0[1...2] }
        return ([joined] + states).prefix(max(1, operation.outputCount)).map {
          node.emit("Unsqueeze", [$0, node.ints([3, 4])])
        }
      }),
    OperatorWriting(
      GRUOperator.self,
      all: { operation, node in
        let made: [String] = try node.recurrentNode(
          "GRU", first: operation.takesState ? 2 : 1, order: [0, 1, 2],
          hasBiases: operation.hasBiases, peepholes: [], states: operation.takesState ? 1 : 0,
          reverses: operation.reversesInput, [operation.gateActivation, operation.activation],
          clip: operation.sumBound, outputs: 2, reset: operation.reset)
        return node.outputs(
          made, operation.returnsSequence, operation.outputCount, operation.reversesInput)
      }),
    OperatorWriting(
      SimpleRecurrentOperator.self,
      all: { operation, node in
        let made: [String] = try node.recurrentNode(
          "RNN", first: operation.takesState ? 2 : 1, order: [0], hasBiases: operation.hasBias,
          peepholes: [], states: operation.takesState ? 1 : 0, reverses: operation.reversesInput,
          [operation.activation], clip: operation.sumBound, outputs: 2)
        return node.outputs(
          made, operation.returnsSequence, operation.outputCount, operation.reversesInput)
      }),
  ]
}

extension NodeContext {
  /// Writes an LSTM node that runs in one direction.
  ///
  /// - Parameters:
  ///   - first: The index of the input with the first weights.
  ///   - statesFrom: The index of the input with the initial output. The input after it is the initial cell state. Nil
  ///     if the operator has no initial states.
  fileprivate func recurrentNode(_ cell: LSTMCell, first: Int, statesFrom: Int?, reverses: Bool)
    throws
    -> [String]
  {
    guard cell.cellBound == .infinity || cell.cellBound >= 50 else {
      throw unsupported("ONNX cannot express the bound ±\(cell.cellBound) of its cell.")
    }
    // The graph's order of gates is input, forget, block, output. ONNX's order is input, output, forget, block.
    return try recurrentNode(
      "LSTM", first: first, order: [0, 3, 1, 2], hasBiases: cell.hasBiases,
      peepholes: cell.hasPeepholes ? [0, 2, 1] : [], states: statesFrom == nil ? 0 : 2,
      statesFrom: statesFrom ?? 1, reverses: reverses,
      [cell.gateActivation, cell.blockActivation, cell.outputActivation], clip: cell.sumBound,
      outputs: 3, forgetGate: cell.addsForgetBias ? 1 : nil, couplesGates: cell.couplesGates)
  }

  /// Writes a recurrent node that runs in one direction. Returns the node's outputs `[sequence, 1, batch, size]`, and
  /// then its final states `[1, batch, size]`.
  ///
  /// - Parameter forgetGate: The index of the gate to whose bias the writer adds 1. Nil if there is no such gate.
  fileprivate func recurrentNode(
    _ type: String, first: Int, order: [Int], hasBiases: Bool, peepholes: [Int], states: Int,
    statesFrom: Int = 1, reverses: Bool, _ activations: [RecurrentActivation], clip: Double,
    outputs: Int, forgetGate: Int? = nil, couplesGates: Bool = false,
    reset: GRUOperator.Reset = .output
  ) throws -> [String] {
    let gates: Int = order.count
    let size: Int = try shape(first)[0]
    func joined(_ names: [String]) -> String {
      let all: String = names.count == 1 ? names[0] : emit("Concat", names, .int("axis", 0))
      return emit("Unsqueeze", [all, ints([0])])
    }
    let w: String = joined(try order.map { try input(first + 2 * $0) })
    let r: String = joined(try order.map { try input(first + 2 * $0 + 1) })
    var inputs: [String] = [emit("Squeeze", [try input(), ints([3, 4])]), w, r]
    let biases: Int = first + 2 * gates
    let hasOwnBias: Bool = reset == .recursion(hasBias: true)
    if hasBiases || forgetGate != nil || hasOwnBias {
      let zeros = [Float](repeating: 0, count: size)
      let all: [String] = try order.map { gate in
        let bias: String = hasBiases ? try input(biases + gate) : writer.floats(zeros)
        return gate == forgetGate ? emit("Add", [bias, number(1)]) : bias
      }
      // A GRU that resets after the recurrent matrix product may have a separate recurrent bias for its new-state gate.
      // All other recurrent biases are 0.
      let others: Int = hasOwnBias ? gates - 1 : gates
      var ofRecursion: [String] = [writer.floats([Float](repeating: 0, count: others * size))]
      if hasOwnBias { ofRecursion.append(try input(biases + (hasBiases ? gates : 0))) }
      inputs.append(joined(all + ofRecursion))
    } else {
      inputs.append("")
    }
    inputs.append("")
    for state in 0..<2 {
      inputs.append(state < states ? try self.state(statesFrom + state, size) : "")
    }
    if !peepholes.isEmpty {
      let start: Int = biases + (hasBiases ? gates : 0)
      inputs.append(joined(try peepholes.map { try input(start + $0) }))
    }
    while inputs.last == "" { inputs.removeLast() }
    var attributes: [NodeAttribute] = [
      .int("hidden_size", size), .string("direction", reverses ? "reverse" : "forward"),
    ]
    // Clamping the sums does not change a result if the activation functions are constant beyond the bound.
    let nodeActivations: [NodeActivation] = try activations.map { try NodeActivation($0, self) }
    if clip.isFinite, clip < 50 || !nodeActivations.allSatisfy(\.isFlat) {
      attributes.append(.float("clip", Float(clip)))
    }
    attributes.append(.strings("activations", nodeActivations.map(\.name)))
    // ONNX stores the parameters of all activation functions in one list of alphas and one list of betas.
    let numbers: [(Float, Float)] = nodeActivations.compactMap(\.numbers)
    if !numbers.isEmpty {
      attributes.append(.floats("activation_alpha", numbers.map(\.0)))
      attributes.append(.floats("activation_beta", numbers.map(\.1)))
    }
    if couplesGates { attributes.append(.int("input_forget", 1)) }
    if reset != .output { attributes.append(.int("linear_before_reset", 1)) }
    return emit(type, inputs, outputs: outputs, attributes)
  }

  /// Reshapes an initial state to ONNX's form, `[1, batch, size]`. The input may have any axes, but it must hold one
  /// row per sample.
  private func state(_ position: Int, _ size: Int) throws -> String {
    let rows: String = emit("Reshape", [try input(position), ints([1, -1, size])])
    let (given, sequence) = (try extents(position), try extents())
    let batch: Int? = sequence.count > 1 ? sequence[1] : nil
    let known: [Int] = given.compactMap { $0 }
    if let batch, known.count == given.count, Shape(known).count == batch * size { return rows }
    let end: String =
      try batch.map { ints([$0]) }
      ?? emit("Slice", [shape(of: try input()), ints([1]), ints([2]), ints([0])])
    return emit("Slice", [rows, ints([0]), end, ints([1])])
  }

  /// Returns the names of the operator's outputs. The outputs are computed from the outputs of the nodes.
  fileprivate func outputs(
    _ made: [String], _ returnsSequence: Bool, _ count: Int, _ reverses: Bool
  )
    -> [String]
  {
    var first: String
    if returnsSequence {
      first = emit("Squeeze", [made[0], ints([1])])
      if reverses {
        first = emit(
          "Slice", [first, ints([-1]), ints([-Int(Int32.max)]), ints([0]), ints([-1])])
      }
      first = emit("Unsqueeze", [first, ints([3, 4])])
    } else {
      first = emit("Unsqueeze", [made[1], ints([3, 4])])
    }
    return [first] + (1..<max(count, 1)).map { emit("Unsqueeze", [made[$0], ints([3, 4])]) }
  }
}

/// An activation function of a recurrent node, in ONNX's form.
private struct NodeActivation {
  let name: String
  /// The parameters alpha and beta. Nil for a function without parameters.
  let numbers: (Float, Float)?
  /// Whether the function is constant for arguments below −50, and constant for arguments above 50.
  let isFlat: Bool

  init(_ activation: RecurrentActivation, _ node: NodeContext) throws {
    switch activation {
    case .sigmoid: (name, numbers, isFlat) = ("Sigmoid", nil, true)
    case .tanh: (name, numbers, isFlat) = ("Tanh", nil, true)
    case .reLU: (name, numbers, isFlat) = ("Relu", nil, false)
    case .linear(let alpha, let beta): (name, numbers, isFlat) = ("Affine", (alpha, beta), false)
    case .scaledTanh(let alpha, let beta):
      (name, numbers, isFlat) = ("ScaledTanh", (alpha, beta), beta.magnitude >= 1)
    case .sigmoidHard(let alpha, let beta):
      (name, numbers, isFlat) = ("HardSigmoid", (alpha, beta), alpha * 50 - beta.magnitude >= 1)
    }
  }
}
