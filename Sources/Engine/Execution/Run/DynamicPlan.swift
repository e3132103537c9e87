import Platform

/// How a graph runs whose shapes depend on data, or which decides what runs: piece by piece.
///
/// Neighbouring layers whose shapes follow from those of their inputs are planned together, once for
/// each combination of shapes; a layer whose shape depends on values is asked with the values; a layer
/// of control flow runs the plans of its nested networks. Empty tensors are never given to kernels.
final class DynamicPlan: Sendable {
  let graph: Graph
  /// The most memory that a run's values may take; nil for what the machine has free.
  var memoryLimit: Int? { options.memoryLimit }
  private let passes: [any GraphPass.Type]
  private let options: ExecutionOptions
  /// The nodes that decide what runs, by position.
  private let controls: [(any ControlFlowOperator)?]
  /// The last node that reads each value; the node count for those that leave the graph.
  private let lastReads: [Int]
  private let nested: [ObjectIdentifier: DynamicPlan]
  /// What was planned so far, by the position of the first node.
  private let pieces: Locked<[[DynamicPiece]]>

  /// The number of plans that are kept for one position.
  private static let pieceLimit = 8

  /// Prepares a graph; types and constants that are known already are used.
  ///
  /// - Parameter leaving: values that are read when the graph has run, beside its outputs.
  init(
    _ graph: Graph, leaving: Set<Graph.ValueID> = [], passes: [any GraphPass.Type],
    options: ExecutionOptions
  ) throws {
    self.graph = graph
    self.passes = passes
    self.options = options
    controls = graph.nodes.map { $0.operation as? any ControlFlowOperator }
    var lastReads = [Int](repeating: -1, count: graph.values.count)
    for (position, node) in graph.nodes.enumerated() {
      for input in node.inputs { lastReads[input.index] = position }
    }
    for value in leaving.union(graph.outputs) { lastReads[value.index] = graph.nodes.count }
    self.lastReads = lastReads
    var nested: [ObjectIdentifier: DynamicPlan] = [:]
    for block in controls.compactMap({ $0 }).flatMap(\.blocks) {
      var inner = block.graph
      try inner.inferTypes(from: inner.inputs.map { _ in nil })
      nested[ObjectIdentifier(block)] = try DynamicPlan(
        inner, leaving: block.leaving, passes: passes, options: options)
    }
    self.nested = nested
    pieces = Locked([[DynamicPiece]](repeating: [], count: graph.nodes.count))
  }

  /// Runs all layers, or those before a break or continue.
  ///
  /// - Parameter inputs: one an input of the graph; nil where it does not exist.
  /// - Returns: the values that leave the graph, by index, and how it came to its end.
  func run(_ inputs: [DynamicTensor?], _ run: DynamicRun) throws -> BlockResult<DynamicTensor> {
    var values = [DynamicTensor?](repeating: nil, count: graph.values.count)
    for (value, tensor) in zip(graph.inputs, inputs) { values[value.index] = tensor }
    var position = 0
    while position < graph.nodes.count {
      let start = position
      if let control = controls[position] {
        let node = graph.nodes[position]
        let result = try naming(node) {
          try control.execute(
            node.inputs.map { values[$0.index] }, with: Blocks(plan: self, run: run))
        }
        for (value, tensor) in zip(node.outputs, result.values) { values[value.index] = tensor }
        if result.exit != .end { return BlockResult(values, result.exit) }
        position += 1
      } else if let piece = try piece(at: position, values) {
        for (output, tensor) in zip(piece.outputs, try piece.run(values, run)) {
          values[output.value.index] = tensor
        }
        position = piece.end
      } else {
        try runAlone(position, &values, run)
        position += 1
      }
      for node in graph.nodes[start..<position] {
        for value in node.inputs where lastReads[value.index] < position {
          values[value.index] = nil
        }
      }
    }
    return BlockResult(values)
  }

  /// The longest run of layers from a position on that can be planned together; nil when the first
  /// cannot.
  private func piece(at start: Int, _ values: [DynamicTensor?]) throws -> DynamicPiece? {
    if let known = known(at: start, where: { !$0.dependsOnValues && $0.fits(values) }) {
      return known
    }
    var typed = graph
    for (index, tensor) in values.enumerated() {
      typed[Graph.ValueID(index)].type = tensor?.type
    }
    var end = start
    while end < graph.nodes.count, controls[end] == nil {
      let node = graph.nodes[end]
      for input in node.inputs where typed[input].type == nil {
        // Known before anything runs; its node has run, or stands in this piece.
        typed[input].type = typed[input].constant.map { TensorType($0.shape) }
      }
      guard try typed.infer(node), !isEmpty(node, typed) else { break }
      end += 1
    }
    guard end > start else { return nil }
    return try keep(
      at: start,
      DynamicPiece(
        start..<end, of: typed, passes: passes, options: options, dependsOnValues: false,
        isNeeded: { lastReads[$0.index] >= end }))
  }

  /// Runs a layer whose shapes depend on values, or which reads or makes empty tensors.
  private func runAlone(
    _ position: Int, _ values: inout [DynamicTensor?], _ run: DynamicRun
  ) throws {
    let node = graph.nodes[position]
    let inputs: [DynamicTensor] = try node.inputs.map { input in
      if let tensor = values[input.index] { return tensor }
      guard let constant = graph[input].constant else { throw node.missing(graph[input].name) }
      return try DynamicTensor(try constant.tensor(), run.account)
    }
    let outputs: [DynamicTensor] = try naming(node) {
      let types = try outputTypes(of: node, inputs)
      guard types.count == node.outputs.count else {
        throw EngineError(
          .invalidModel,
          "the layer makes \(types.count) outputs but the model names \(node.outputs.count).")
      }
      if types.allSatisfy({ $0.shape.count == 0 }) {
        return try types.map { try DynamicTensor($0.shape, run.account) }
      }
      if (types.map(\.shape) + inputs.map(\.shape)).contains(where: { $0.count == 0 }) {
        return try node.operation.reference(inputs.map(\.values)).map {
          try DynamicTensor($0, run.account)
        }
      }
      return try pieceAlone(position, values, inputs, types).run(values, run)
    }
    for (value, tensor) in zip(node.outputs, outputs) { values[value.index] = tensor }
  }

  /// One layer planned for output shapes that were computed from values.
  private func pieceAlone(
    _ position: Int, _ values: [DynamicTensor?], _ inputs: [DynamicTensor], _ types: [TensorType]
  ) throws -> DynamicPiece {
    let node = graph.nodes[position]
    if let known = known(
      at: position,
      where: {
        $0.dependsOnValues && $0.fits(values) && $0.outputs.map(\.type) == types
      })
    {
      return known
    }
    var typed = graph
    for (value, tensor) in zip(node.inputs, inputs) { typed[value].type = tensor.type }
    for (value, type) in zip(node.outputs, types) { typed[value].type = type }
    return try keep(
      at: position,
      DynamicPiece(
        position..<position + 1, of: typed, passes: [], options: options, dependsOnValues: true,
        isNeeded: { _ in true }))
  }

  /// The types of a layer's outputs; the values of small inputs are given before those of all.
  private func outputTypes(of node: Graph.Node, _ inputs: [DynamicTensor]) throws -> [TensorType] {
    for limit in [1024, Int.max] {
      let known: [OperatorInput] = inputs.map { input in
        OperatorInput(input.type, value: input.shape.count <= limit ? input.values : nil)
      }
      if let types = try node.operation.outputTypes(for: known) { return types }
    }
    throw EngineError(.unsupported, "the layer's shape is not known even from its inputs' values.")
  }

  private func known(at position: Int, where fits: (DynamicPiece) -> Bool) -> DynamicPiece? {
    let candidates = pieces.withLock { $0[position] }
    return candidates.first(where: fits)
  }

  private func keep(at position: Int, _ piece: DynamicPiece) -> DynamicPiece {
    pieces.withLock { pieces in
      pieces[position].insert(piece, at: 0)
      if pieces[position].count > Self.pieceLimit { pieces[position].removeLast() }
    }
    return piece
  }

  private func isEmpty(_ node: Graph.Node, _ typed: Graph) -> Bool {
    (node.inputs + node.outputs).contains { typed[$0].type?.shape.count == 0 }
  }

  private func naming<Result>(_ node: Graph.Node, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as EngineError {
      throw error.naming(node.operation.name, node.name)
    }
  }

  /// Runs the nested networks of one plan.
  private struct Blocks: BlockRunner {
    let plan: DynamicPlan
    let run: DynamicRun

    var loopLimit: Int { plan.options.loopLimit }

    func number(in tensor: DynamicTensor) -> Double? {
      tensor.shape.count > 0 ? Double(tensor.memory.floats[0]) : nil
    }

    func run(_ block: Block, _ inputs: [DynamicTensor?]) throws -> BlockResult<DynamicTensor> {
      guard let inner = plan.nested[ObjectIdentifier(block)] else {
        preconditionFailure("every nested network is planned with the one around it")
      }
      try run.limits.check()
      let result = try inner.run(inputs, run)
      return BlockResult(block.results(result.values), result.exit)
    }
  }
}
