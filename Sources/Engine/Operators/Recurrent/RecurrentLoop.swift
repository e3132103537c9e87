import Graph

/// A recurrent operator as a loop over its steps, for formats whose recurrent layers cannot say it.
///
/// The products of the input with the matrices are computed for all steps at once, before the loop; an iteration
/// reads its row of them, computes the gates by other operators, and writes its row of the outputs.
struct RecurrentLoop {
  private let node: Graph.Node
  private let cell: Cell
  /// The weights and the states' number.
  private let weights: RecurrentWeights
  private let stateCount: Int
  private let takesStates: Bool
  private let returnsSequence: Bool
  private let reversesInput: Bool

  /// What an iteration computes.
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

  /// The loop of a node; nil where the node is no recurrent one, or its weights are computed.
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

  /// Nodes of one graph, in their order.
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
      let made: [Graph.ValueID] = (0..<outputs).map { _ in graph.addValue("\(node.name) step") }
      append(operation, inputs, made)
      return made
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

  // MARK: - The graph around

  /// The nodes that stand for the node; values are added to the graph.
  func spelled(in graph: inout Graph) -> [Graph.Node] {
    var part = Part(graph: graph, node: node)
    let given: [Constant?] = node.inputs.map { graph[$0].constant }
    var sequence = part.add(SqueezeOperator(axes: [3, 4]), node.inputs[0])
    if reversesInput {
      sequence = part.add(ReverseOperator(isReversed: [true, false, false]), sequence)
    }
    var rows: [Graph.ValueID] = [
      sequence, part.constant(Self.below(weights.matrices.compactMap { given[$0] })),
    ]
    if weights.hasBiases {
      rows.append(part.constant(Self.below(weights.biases.compactMap { given[$0] })))
    }
    let products = part.add(BatchedMatMulOperator.ofRows, of: rows, outputs: 1)[0]
    let first = part.add(
      SliceStaticOperator(slices: [AxisSlice(begin: 0, end: 1), AxisSlice(), AxisSlice()]), products
    )
    // A state may have any axes that hold a row for each entry of the batch.
    let size: Int? = weights.recursions.first.flatMap { given[$0]?.shape[0] }
    let inRows: any Operator =
      size.map { ReshapeStaticOperator(targetShape: [1, -1, $0]) } ?? SqueezeOperator(axes: [3, 4])
    let states: [Graph.ValueID] = (0..<stateCount).map { state in
      takesStates
        ? part.add(inRows, node.inputs[1 + state])
        : part.add(FillLikeOperator(value: 0), part.parts(first, weights.gates)[0])
    }
    var carried: [Graph.ValueID] =
      [part.graph.addConstant(Constant(ReferenceTensor([1], wholes: [0], .int32)), name: "step")]
      + states
    if returnsSequence {
      carried.append(part.add(FillLikeOperator(value: 0), part.parts(products, weights.gates)[0]))
    }
    let length = part.add(
      SliceStaticOperator(slices: [AxisSlice(begin: 0, end: 1)]),
      part.add(CastOperator(to: .int32), part.add(GetShapeOperator(), products)))
    let results: [Graph.ValueID] = carried.map { _ in part.graph.addValue("\(node.name) step") }
    part.append(
      LoopOperator(LoopRule(hasCondition: false, countsByInput: true)),
      [length] + carried + [products], results, regions: [body(given)])
    let outputs: [Graph.ValueID] =
      [results[returnsSequence ? results.count - 1 : 1]] + results[1...stateCount]
    for (output, value) in zip(node.outputs, outputs) {
      part.append(ExpandDimsOperator(axes: [3, 4]), [value], [output])
    }
    graph = part.graph
    return part.nodes
  }

  /// Matrices one below the other, or vectors one after the other.
  private static func below(_ parts: [Constant]) -> Constant {
    guard parts.count > 1, var shape = parts.first?.shape else { return parts[0] }
    shape[0] = parts.reduce(0) { $0 + $1.shape[0] }
    return Constant(shape, recipe: "joined", of: parts) { try parts.flatMap { try $0.floats() } }
  }

  // MARK: - An iteration

  /// The body: reads the step, the states, perhaps the outputs so far, and the products of all steps.
  private func body(_ given: [Constant?]) -> Graph.Region {
    var part = Part(graph: Graph(), node: node)
    let step = part.graph.addValue("step")
    let states: [Graph.ValueID] = (0..<stateCount).map { part.graph.addValue("state \($0)") }
    let made: [Graph.ValueID] = returnsSequence ? [part.graph.addValue("outputs")] : []
    let products = part.graph.addValue("products")
    part.graph.inputs = [step] + states + made + [products]
    let row = part.add(GatherOperator(axis: 0), products, step)
    let sums: [Graph.ValueID] = part.parts(row, weights.gates)
    let next: [Graph.ValueID]
    switch cell {
    case .simple(let operation):
      let sum = remembered(states[0], [0], given, &part)
      next = [activated(part.join(.add, sums[0], sum[0]), operation.activation, &part)]
    case .gated(let operation): next = [gated(operation, sums, states[0], given, &part)]
    case .memory(let cell): next = memory(cell, sums, states, given, &part)
    }
    let one = part.graph.addConstant(
      Constant(ReferenceTensor([1], wholes: [1], .int32)), name: "one")
    var outputs: [Graph.ValueID] = [part.join(.add, step, one)] + next
    if let held = made.first {
      outputs += part.add(ScatterOperator(axis: 0), of: [held, step, next[0]], outputs: 1)
    }
    part.graph.nodes = part.nodes
    part.graph.outputs = outputs
    return Graph.Region(part.graph)
  }

  /// The products of a state with the recursions of some gates.
  private func remembered(
    _ state: Graph.ValueID, _ gates: [Int], _ given: [Constant?], _ part: inout Part,
    bias: Constant? = nil
  ) -> [Graph.ValueID] {
    let matrix = Self.below(gates.compactMap { given[weights.recursions[$0]] })
    var inputs: [Graph.ValueID] = [state, part.constant(matrix)]
    if let bias { inputs.append(part.constant(bias)) }
    let made = part.add(BatchedMatMulOperator.ofRows, of: inputs, outputs: 1)[0]
    return part.parts(made, gates.count)
  }

  /// A sum within its bounds, through a function.
  private func activated(
    _ sum: Graph.ValueID, _ function: RecurrentActivation, _ part: inout Part
  ) -> Graph.ValueID {
    var value: Graph.ValueID = sum
    if cell.bound.isFinite {
      let bound = Float(cell.bound)
      value = part.add(ClipOperator(minimum: -bound, maximum: bound), value)
    }
    return part.add(ActivationOperator(function.plain), value)
  }

  private func gated(
    _ operation: GRUOperator, _ sums: [Graph.ValueID], _ state: Graph.ValueID,
    _ given: [Constant?], _ part: inout Part
  ) -> Graph.ValueID {
    let both = remembered(state, [0, 1], given, &part)
    let gates: [Graph.ValueID] = (0..<2).map {
      activated(part.join(.add, sums[$0], both[$0]), operation.gateActivation, &part)
    }
    let recalled: Graph.ValueID
    if case .output = operation.reset {
      let kept = part.join(.multiply, gates[1], state)
      recalled = remembered(kept, [2], given, &part)[0]
    } else {
      let bias: Constant? = weights.peepholes.first.flatMap { given[$0] }
      let all = remembered(state, [2], given, &part, bias: bias)[0]
      recalled = part.join(.multiply, gates[1], all)
    }
    let new = activated(part.join(.add, sums[2], recalled), operation.activation, &part)
    // (1 − z) ⊙ new + z ⊙ old
    let difference = part.join(.subtract, state, new)
    return part.join(.add, new, part.join(.multiply, gates[0], difference))
  }

  /// The next output and the next cell.
  private func memory(
    _ cell: LSTMCell, _ sums: [Graph.ValueID], _ states: [Graph.ValueID], _ given: [Constant?],
    _ part: inout Part
  ) -> [Graph.ValueID] {
    let (output, memory) = (states[0], states[1])
    let all = remembered(output, [0, 1, 2, 3], given, &part)
    func sum(_ gate: Int, peephole: Int? = nil, of value: Graph.ValueID) -> Graph.ValueID {
      let plain = part.join(.add, sums[gate], all[gate])
      guard let peephole, weights.peepholeCount > 0,
        let factors = given[weights.peepholes[peephole]]
      else { return plain }
      return part.join(.add, plain, part.join(.multiply, value, part.constant(factors)))
    }
    let input = activated(sum(0, peephole: 0, of: memory), cell.gateActivation, &part)
    let kept: Graph.ValueID
    if cell.couplesGates {
      kept = part.add(ActivationOperator(.linear(alpha: -1, beta: 1)), input)
    } else {
      var forgets = sum(1, peephole: 1, of: memory)
      if cell.addsForgetBias {
        forgets = part.add(ActivationOperator(.linear(alpha: 1, beta: 1)), forgets)
      }
      kept = activated(forgets, cell.gateActivation, &part)
    }
    let block = activated(sum(2, of: memory), cell.blockActivation, &part)
    var next = part.join(
      .add, part.join(.multiply, memory, kept), part.join(.multiply, input, block))
    if cell.cellBound.isFinite {
      let bound = Float(cell.cellBound)
      next = part.add(ClipOperator(minimum: -bound, maximum: bound), next)
    }
    let gate = activated(sum(3, peephole: 2, of: next), cell.gateActivation, &part)
    let shown = part.add(ActivationOperator(cell.outputActivation.plain), next)
    return [part.join(.multiply, shown, gate), next]
  }
}

extension RecurrentActivation {
  /// The same function of an operator of its own.
  fileprivate var plain: ActivationFunction {
    switch self {
    case .linear(let alpha, let beta): .linear(alpha: alpha, beta: beta)
    case .sigmoid: .sigmoid
    case .tanh: .tanh
    case .reLU: .reLU
    case .scaledTanh(let alpha, let beta): .scaledTanh(alpha: alpha, beta: beta)
    case .sigmoidHard(let alpha, let beta): .sigmoidHard(alpha: alpha, beta: beta)
    }
  }

  /// Whether the function is the same beyond ± a bound as at it, as far as `float32` tells.
  package func isFlat(beyond bound: Double) -> Bool {
    guard bound.isFinite else { return true }
    return switch self {
    // e⁻¹⁷ is less than half of the last bit of 1.
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
  /// Spells recurrent operators as loops over their steps, where a format's own layers cannot say them.
  ///
  /// - Parameter isWanted: Which of them are to be spelled.
  package mutating func spellRecurrences(where isWanted: (any Operator) -> Bool) {
    var made: [Node] = []
    for node in nodes {
      guard isWanted(node.operation), let loop = RecurrentLoop(node, in: self) else {
        var kept: Node = node
        for position in kept.regions.indices {
          kept.regions[position].graph.spellRecurrences(where: isWanted)
        }
        made.append(kept)
        continue
      }
      made += loop.spelled(in: &self)
    }
    nodes = made
  }
}
