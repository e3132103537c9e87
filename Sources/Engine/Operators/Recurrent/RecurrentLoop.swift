import Graph

/// Decomposes a recurrent operator into a loop over its steps, for formats whose recurrent layers cannot express the
/// operator.
///
/// One matrix product before the loop multiplies the inputs of all steps by the input matrices of all gates. Each
/// iteration of the loop computes one step: it takes the step's part of this product, computes the gates with ordinary
/// operators, and writes the outputs of the step.
struct RecurrentLoop {
  /// The recurrent node that the loop replaces.
  private let node: Graph.Node
  /// The cell of the node.
  private let cell: Cell
  /// The indices of the weights among the node's inputs.
  private let weights: RecurrentWeights
  /// The number of states: 2 for an LSTM, otherwise 1.
  private let stateCount: Int
  /// Whether the inputs after the sequence are the initial states; otherwise the initial states are 0.
  private let takesStates: Bool
  /// Whether the outputs of all time steps are returned; otherwise only the output of the last step.
  private let returnsSequence: Bool
  /// Whether the sequence is read from its end.
  private let reversesInput: Bool

  /// The cell that an iteration computes.
  private enum Cell {
    case simple(SimpleRecurrentOperator)
    case gated(GRUOperator)
    case memory(LSTMCell)

    var bound: Double {
      switch self {
      case .simple(let operation): operation.sumBound
      case .gated(let operation): operation.sumBound
      case .memory(let cell): cell.sumBound
      }
    }
  }

  /// Creates the loop for a node. Nil if the node is not a recurrent operator with one direction, or if the node's
  /// weights are not constants.
  init?(_ node: Graph.Node, in graph: Graph) {
    self.node = node
    switch node.operation {
    case let operation as SimpleRecurrentOperator:
      (cell, weights, stateCount) = (.simple(operation), operation.weights, 1)
      (takesStates, returnsSequence) = (operation.takesState, operation.returnsSequence)
      reversesInput = operation.reversesInput
    case let operation as GRUOperator:
      (cell, weights, stateCount) = (.gated(operation), operation.weights, 1)
      (takesStates, returnsSequence) = (operation.takesState, operation.returnsSequence)
      reversesInput = operation.reversesInput
    case let operation as UniDirectionalLSTMOperator:
      (cell, weights, stateCount) = (.memory(operation.cell), operation.weights, 2)
      (takesStates, returnsSequence) = (operation.takesStates, operation.returnsSequence)
      reversesInput = operation.reversesInput
    default: return nil
    }
    guard node.inputs.count == weights.end,
      node.inputs[weights.first...].allSatisfy({ graph[$0].constant != nil })
    else { return nil }
  }

  /// A graph that is being built, and the new nodes of this graph in the order in which they run.
  private struct Part {
    var graph: Graph
    var nodes: [Graph.Node] = []
    let node: Graph.Node

    mutating func add(_ operation: any Operator, _ inputs: Graph.ValueID...) -> Graph.ValueID {
      add(operation, of: inputs, outputs: 1)[0]
    }

    mutating func add(_ operation: any Operator, of inputs: [Graph.ValueID], outputs: Int)
      -> [Graph.ValueID]
    {
      let results: [Graph.ValueID] = (0..<outputs).map { _ in graph.addValue("\(node.name) step") }
      append(operation, inputs, results)
      return results
    }

    mutating func append(
      _ operation: any Operator, _ inputs: [Graph.ValueID], _ outputs: [Graph.ValueID],
      regions: [Graph.Region] = []
    ) {
      nodes.append(
        Graph.Node(
          name: node.name, operation: operation, inputs: inputs, outputs: outputs,
          regions: regions, origin: node.origin))
    }

    mutating func constant(_ constant: Constant) -> Graph.ValueID {
      graph.addConstant(constant, name: "\(node.name) weights")
    }

    mutating func join(_ function: BinaryFunction, _ left: Graph.ValueID, _ right: Graph.ValueID)
      -> Graph.ValueID
    {
      add(BinaryFunctionOperator(function), left, right)
    }

    mutating func parts(_ value: Graph.ValueID, _ count: Int) -> [Graph.ValueID] {
      count == 1
        ? [value] : add(SplitNDOperator(axis: 2, parts: .count(count)), of: [value], outputs: count)
    }
  }

  // MARK: - The nodes around the loop

  /// Returns the nodes that replace the recurrent node, and adds their values to the graph.
  func decomposed(in graph: inout Graph) -> [Graph.Node] {
    var part = Part(graph: graph, node: node)
    let constants: [Constant?] = node.inputs.map { graph[$0].constant }
    var sequence = part.add(SqueezeOperator(axes: [3, 4]), node.inputs[0])
    if reversesInput {
      sequence = part.add(ReverseOperator(isReversed: [true, false, false]), sequence)
    }
    var rows: [Graph.ValueID] = [
      sequence, part.constant(Self.concatenated(weights.matrices.compactMap { constants[$0] })),
    ]
    if weights.hasBiases {
      rows.append(part.constant(Self.concatenated(weights.biases.compactMap { constants[$0] })))
    }
    let products = part.add(BatchedMatMulOperator.ofRows, of: rows, outputs: 1)[0]
    let first = part.add(
      SliceStaticOperator(slices: [AxisSlice(begin: 0, end: 1), AxisSlice(), AxisSlice()]), products
    )
    // The initial state may have any shape. In row-major order, its elements form one row per batch entry.
    let size: Int? = weights.recursions.first.flatMap { constants[$0]?.shape[0] }
    let reshapeToRows: any Operator =
      size.map { ReshapeStaticOperator(targetShape: [1, -1, $0]) } ?? SqueezeOperator(axes: [3, 4])
    let states: [Graph.ValueID] = (0..<stateCount).map { state in
      takesStates
        ? part.add(reshapeToRows, node.inputs[1 + state])
        : part.add(FillLikeOperator(value: 0), part.parts(first, weights.gates)[0])
    }
    var loopStates: [Graph.ValueID] =
      [
        part.graph.addConstant(
          Constant(ReferenceTensor([1], integerValues: [0], .int32)), name: "step")
      ]
      + states
    if returnsSequence {
      loopStates.append(
        part.add(FillLikeOperator(value: 0), part.parts(products, weights.gates)[0]))
    }
    let length = part.add(
      SliceStaticOperator(slices: [AxisSlice(begin: 0, end: 1)]),
      part.add(CastOperator(to: .int32), part.add(GetShapeOperator(), products)))
    let results: [Graph.ValueID] = loopStates.map { _ in part.graph.addValue("\(node.name) step") }
    part.append(
      LoopOperator(LoopRule(hasCondition: false, countsByInput: true)),
      [length] + loopStates + [products], results, regions: [body(constants)])
    let outputs: [Graph.ValueID] =
      [results[returnsSequence ? results.count - 1 : 1]] + results[1...stateCount]
    for (output, value) in zip(node.outputs, outputs) {
      part.append(ExpandDimsOperator(axes: [3, 4]), [value], [output])
    }
    graph = part.graph
    return part.nodes
  }

  /// Concatenates matrices or vectors along their first axis.
  private static func concatenated(_ parts: [Constant]) -> Constant {
    guard parts.count > 1, var shape = parts.first?.shape else { return parts[0] }
    shape[0] = parts.reduce(0) { $0 + $1.shape[0] }
    return Constant(shape, recipe: "joined", of: parts) { try parts.flatMap { try $0.floats() } }
  }

  // MARK: - An iteration

  /// Returns the body of the loop. Its inputs are the step's index, the states, the outputs of the earlier steps (only
  /// if ``returnsSequence`` is set), and the matrix product that was computed before the loop.
  private func body(_ constants: [Constant?]) -> Graph.Region {
    var part = Part(graph: Graph(), node: node)
    let step = part.graph.addValue("step")
    let states: [Graph.ValueID] = (0..<stateCount).map { part.graph.addValue("state \($0)") }
    let accumulated: [Graph.ValueID] = returnsSequence ? [part.graph.addValue("outputs")] : []
    let products = part.graph.addValue("products")
    part.graph.inputs = [step] + states + accumulated + [products]
    let row = part.add(GatherOperator(axis: 0), products, step)
    let sums: [Graph.ValueID] = part.parts(row, weights.gates)
    let next: [Graph.ValueID]
    switch cell {
    case .simple(let operation):
      let sum = recurrentProducts(states[0], [0], constants, &part)
      next = [activated(part.join(.add, sums[0], sum[0]), operation.activation, &part)]
    case .gated(let operation): next = [gated(operation, sums, states[0], constants, &part)]
    case .memory(let cell): next = memory(cell, sums, states, constants, &part)
    }
    let one = part.graph.addConstant(
      Constant(ReferenceTensor([1], integerValues: [1], .int32)), name: "one")
    var outputs: [Graph.ValueID] = [part.join(.add, step, one)] + next
    if let previous = accumulated.first {
      outputs += part.add(ScatterOperator(axis: 0), of: [previous, step, next[0]], outputs: 1)
    }
    part.graph.nodes = part.nodes
    part.graph.outputs = outputs
    return Graph.Region(part.graph)
  }

  /// Adds one matrix product, which multiplies a state by the recursion matrices of all given gates. If `bias` is not
  /// nil, adds it to the product. Splits the result, and returns one part for each gate.
  private func recurrentProducts(
    _ state: Graph.ValueID, _ gates: [Int], _ constants: [Constant?], _ part: inout Part,
    bias: Constant? = nil
  ) -> [Graph.ValueID] {
    let matrix = Self.concatenated(gates.compactMap { constants[weights.recursions[$0]] })
    var inputs: [Graph.ValueID] = [state, part.constant(matrix)]
    if let bias { inputs.append(part.constant(bias)) }
    let product = part.add(BatchedMatMulOperator.ofRows, of: inputs, outputs: 1)[0]
    return part.parts(product, gates.count)
  }

  /// Adds operators that clip a sum to ± the cell's bound and apply the activation.
  private func activated(
    _ sum: Graph.ValueID, _ function: RecurrentActivation, _ part: inout Part
  ) -> Graph.ValueID {
    var value: Graph.ValueID = sum
    if cell.bound.isFinite {
      let bound = Float(cell.bound)
      value = part.add(ClipOperator(minimum: -bound, maximum: bound), value)
    }
    return part.add(ActivationOperator(function.activationFunction), value)
  }

  private func gated(
    _ operation: GRUOperator, _ sums: [Graph.ValueID], _ state: Graph.ValueID,
    _ constants: [Constant?], _ part: inout Part
  ) -> Graph.ValueID {
    let both = recurrentProducts(state, [0, 1], constants, &part)
    let gates: [Graph.ValueID] = (0..<2).map {
      activated(part.join(.add, sums[$0], both[$0]), operation.gateActivation, &part)
    }
    let recurrentSum: Graph.ValueID
    if case .output = operation.reset {
      let resetState = part.join(.multiply, gates[1], state)
      recurrentSum = recurrentProducts(resetState, [2], constants, &part)[0]
    } else {
      let bias: Constant? = weights.peepholes.first.flatMap { constants[$0] }
      let all = recurrentProducts(state, [2], constants, &part, bias: bias)[0]
      recurrentSum = part.join(.multiply, gates[1], all)
    }
    let new = activated(part.join(.add, sums[2], recurrentSum), operation.activation, &part)
    // (1 − z) ⊙ new + z ⊙ old
    let difference = part.join(.subtract, state, new)
    return part.join(.add, new, part.join(.multiply, gates[0], difference))
  }

  /// Adds the operators of one LSTM step. Returns the next output and the next cell state.
  private func memory(
    _ cell: LSTMCell, _ sums: [Graph.ValueID], _ states: [Graph.ValueID], _ constants: [Constant?],
    _ part: inout Part
  ) -> [Graph.ValueID] {
    let (output, memory) = (states[0], states[1])
    let all = recurrentProducts(output, [0, 1, 2, 3], constants, &part)
    func sum(_ gate: Int, peephole: Int? = nil, of value: Graph.ValueID) -> Graph.ValueID {
      let weighted = part.join(.add, sums[gate], all[gate])
      guard let peephole, weights.peepholeCount > 0,
        let factors = constants[weights.peepholes[peephole]]
      else { return weighted }
      return part.join(
        .add, weighted, part.join(.multiply, value, part.constant(factors)))
    }
    let input = activated(sum(0, peephole: 0, of: memory), cell.gateActivation, &part)
    let forget: Graph.ValueID
    if cell.couplesGates {
      forget = part.add(ActivationOperator(.linear(alpha: -1, beta: 1)), input)
    } else {
      var forgets = sum(1, peephole: 1, of: memory)
      if cell.addsForgetBias {
        forgets = part.add(ActivationOperator(.linear(alpha: 1, beta: 1)), forgets)
      }
      forget = activated(forgets, cell.gateActivation, &part)
    }
    let block = activated(sum(2, of: memory), cell.blockActivation, &part)
    var next = part.join(
      .add, part.join(.multiply, memory, forget), part.join(.multiply, input, block))
    if cell.cellBound.isFinite {
      let bound = Float(cell.cellBound)
      next = part.add(ClipOperator(minimum: -bound, maximum: bound), next)
    }
    let gate = activated(sum(3, peephole: 2, of: next), cell.gateActivation, &part)
    let activatedCell = part.add(ActivationOperator(cell.outputActivation.activationFunction), next)
    return [part.join(.multiply, activatedCell, gate), next]
  }
}

extension RecurrentActivation {
  /// The activation of ``ActivationOperator`` that computes the same function.
  fileprivate var activationFunction: ActivationFunction {
    switch self {
    case .linear(let alpha, let beta): .linear(alpha: alpha, beta: beta)
    case .sigmoid: .sigmoid
    case .tanh: .tanh
    case .reLU: .reLU
    case .scaledTanh(let alpha, let beta): .scaledTanh(alpha: alpha, beta: beta)
    case .sigmoidHard(let alpha, let beta): .sigmoidHard(alpha: alpha, beta: beta)
    }
  }

  /// Returns whether, in `float32`, the function is constant for all x > `bound` and constant for all x < −`bound`.
  /// Clipping x to ± `bound` then changes no result.
  package func isFlat(beyond bound: Double) -> Bool {
    guard bound.isFinite else { return true }
    return switch self {
    // The sigmoid is 1 / (1 + e⁻ˣ). From x = 17 on, `float32` rounds the sum 1 + e⁻ˣ to 1, because e⁻¹⁷ is less than
    // 2⁻²⁴, half the distance from 1 to the next larger `float32`.
    case .sigmoid: bound >= 17
    case .tanh: bound >= 9
    case .scaledTanh(_, let beta): bound * Double(beta.magnitude) >= 9
    case .sigmoidHard(let alpha, let beta):
      Double(alpha.magnitude) * bound
        >= max(
          Double(beta.magnitude), Double((1 - beta).magnitude))
    case .linear(let alpha, _): alpha == 0
    case .reLU: false
    }
  }
}

extension Graph {
  /// Replaces recurrent operators by loops over their steps, for formats whose recurrent layers cannot express these
  /// operators.
  ///
  /// - Parameter isWanted: returns whether to replace a given operator.
  package mutating func decomposeRecurrences(where isWanted: (any Operator) -> Bool) {
    var result: [Node] = []
    for node in nodes {
      guard isWanted(node.operation), let loop = RecurrentLoop(node, in: self) else {
        var other: Node = node
        for position in other.regions.indices {
          other.regions[position].graph.decomposeRecurrences(where: isWanted)
        }
        result.append(other)
        continue
      }
      result += loop.decomposed(in: &self)
    }
    nodes = result
  }
}
