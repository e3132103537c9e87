/// One running region: the values of its graph and the memory of its segments. The whole network is the outermost
/// region.
///
/// In a loop, each iteration first tries the segments that the previous iteration used. If these segments fit, the
/// iteration needs no lookup and no allocation.
final class RegionSession {
  let graph: SegmentedGraph
  let context: RunContext
  var values: [RunValue?]
  /// The segments that have run, by the position of their first node, the most recently used first.
  private var segments: [[SegmentRun]]
  /// The sessions of the control nodes' regions, by the node's position.
  private var regions: [[RegionSession]]
  /// The constants of the graph that were read, by the value's index.
  private var constants: [Int: RunValue] = [:]

  /// The path from the network to this region.
  private let path: [RegionIndex]

  init(_ graph: SegmentedGraph, _ context: RunContext, at path: [RegionIndex] = []) {
    self.path = path
    self.graph = graph
    self.context = context
    values = [RunValue?](repeating: nil, count: graph.graph.values.count)
    segments = [[SegmentRun]](repeating: [], count: graph.graph.nodes.count)
    regions = [[RegionSession]](repeating: [], count: graph.graph.nodes.count)
  }

  /// Runs the nodes in order, up to the end or to a node that leaves the region early.
  ///
  /// - Parameters:
  ///   - arguments: One value per input of the graph; nil for an input that does not exist.
  ///   - given: The number of leading arguments that this method removes from the caller's array, so that their memory
  ///     can be reused.
  ///   - outputs: Receives one value per output of the graph. Its old contents are dropped.
  func run(
    _ arguments: inout [RunValue?], giving given: Int = 0, into outputs: inout [RunValue?]
  ) throws -> RegionExit {
    defer { for index in values.indices { values[index] = nil } }
    for (position, input) in graph.graph.inputs.enumerated() where position < arguments.count {
      values[input.index] = arguments[position]
      if position < given { arguments[position] = nil }
    }
    var position = 0
    while position < graph.controls.count {
      if let control = graph.controls[position] {
        let exit = try run(control, at: position)
        if exit != .end {
          try gather(control.node.leaving ?? [], into: &outputs)
          return exit
        }
        release(graph.released[position])
        position += 1
      } else {
        let run = try self.run(at: position)
        var segment = run.segment
        switch segment.kind {
        case .alone: try runAlone(position, run)
        case .rows(let operation, let action):
          try naming(graph.graph.nodes[position]) {
            try runRows(position, operation, action, released: segment.released)
          }
        case .run, .join: segment = try compute(run, at: position)
        }
        release(segment.released)
        position = segment.end
      }
    }
    try gather(graph.graph.outputs, into: &outputs)
    if let observe = context.observe, !path.isEmpty { try observe(path, outputs) }
    return .end
  }

  private func release(_ indices: [Int]) {
    for index in indices { values[index] = nil }
  }

  private func gather(_ wanted: [Graph.ValueID], into outputs: inout [RunValue?]) throws {
    outputs.removeAll(keepingCapacity: true)
    for value in wanted { outputs.append(try self.value(value.index)) }
  }

  /// Returns a value by its index. Nil if no layer has made the value.
  func value(_ index: Int) throws -> RunValue? {
    if let value = values[index] { return value }
    guard let constant = graph.graph.values[index].constant else { return nil }
    if let known = constants[index] { return known }
    let made = try context.value(TensorDescriptor(constant.shape, constant.type.element))
    if constant.type.element == .float32 {
      // Safe: the memory holds as many floats as the shape has elements.
      try constant.write(to: made.pointer.assumingMemoryBound(to: Float.self))
    } else {
      made.write(try constant.tensor())
    }
    constants[index] = made
    return made
  }

  private func run(_ control: SegmentedGraph.Control, at position: Int) throws -> RegionExit {
    let node = control.node
    if regions[position].isEmpty {
      regions[position] = graph.regions[position].enumerated().map { number, region in
        RegionSession(
          region, context, at: path + [RegionIndex(node: node.name, region: number)])
      }
    }
    let runner = Runner(
      regions: regions[position], context: context, loopLimit: graph.options.loopLimit)
    return try naming(node) {
      var inputs: [RunValue?] = []
      inputs.reserveCapacity(node.inputs.count)
      for input in node.inputs { inputs.append(try value(input.index)) }
      let (outputs, exit) = try runner.run(node, control.rule, in: graph.graph, inputs)
      for (output, value) in zip(node.outputs, outputs) { values[output.index] = value }
      return exit
    }
  }

  /// Frees the cached memory of values larger than this size in bytes.
  func reclaim(above byteCount: Int) {
    for run in segments.joined() { run.reclaim(above: byteCount) }
    for region in regions.joined() { region.reclaim(above: byteCount) }
  }

  private func naming<Result>(_ node: Graph.Node, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as EngineError {
      throw error.naming(node)
    }
  }
}

// MARK: Segments

extension RegionSession {
  /// Returns the segment that starts at a position, for the current values.
  private func run(at position: Int) throws -> SegmentRun {
    if let known = take(from: &segments[position], where: { $0.fits(values) }) { return known }
    let segment = try graph.segment(at: position, values.map { $0?.form })
    let made = try SegmentRun(segment)
    keep(made, in: &segments[position])
    return made
  }

  /// Runs a segment. If memory is too short for the planned power of two, runs a segment that is planned for the exact
  /// length instead.
  ///
  /// - Returns: The segment that has run.
  private func compute(_ run: SegmentRun, at position: Int) throws -> PlannedSegment {
    do {
      try run.run(&values, context)
      return run.segment
    } catch let error as EngineError where error.code == .outOfMemory && !run.segment.isExact {
      let exact = try graph.exactSegment(at: position, values.map { $0?.form })
      try SegmentRun(exact).run(&values, context)
      return exact
    }
  }

  /// Finds a segment that fits and moves it to the front.
  private func take(from known: inout [SegmentRun], where fits: (PlannedSegment) -> Bool)
    -> SegmentRun?
  {
    guard let found = known.firstIndex(where: { fits($0.segment) }) else { return nil }
    if found > 0 { known.insert(known.remove(at: found), at: 0) }
    return known[0]
  }

  private func keep(_ run: SegmentRun, in known: inout [SegmentRun]) {
    known.insert(run, at: 0)
    if known.count > SegmentedGraph.segmentLimit { known.removeLast() }
  }

  /// Runs a node whose output shapes depend on values, or that has empty inputs or outputs.
  private func runAlone(_ position: Int, _ run: SegmentRun) throws {
    let node = graph.graph.nodes[position]
    let inputs: [RunValue] = try node.inputs.map { input in
      guard let value = try value(input.index) else {
        throw node.missing(graph.graph[input].name)
      }
      return value
    }
    try naming(node) {
      let types = try outputTypes(of: node, inputs)
      guard types.count == node.outputs.count else {
        throw EngineError(
          .invalidModel,
          "the layer makes \(types.count) outputs but the model names \(node.outputs.count).")
      }
      if (types.map(\.shape) + inputs.map(\.form.shape)).contains(where: { $0.count == 0 }) {
        return try define(node, inputs, types)
      }
      if let known = take(
        from: &run.ofValues, where: { $0.fits(values) && $0.outputs.map(\.type) == types })
      {
        return try known.run(&values, context)
      }
      let segment = try graph.segment(
        alone: position, values.map { $0?.form }, making: types)
      let made = try SegmentRun(segment)
      keep(made, in: &run.ofValues)
      try made.run(&values, context)
    }
  }

  /// Computes a node that has empty tensors with its operator's reference implementation.
  private func define(_ node: Graph.Node, _ inputs: [RunValue], _ types: [TensorType]) throws {
    let outputs: [RunValue] = try types.map {
      try context.value(TensorDescriptor($0.shape, $0.element))
    }
    if types.contains(where: { $0.shape.count > 0 }) {
      // The memory is counted before the reference implementation allocates it.
      let byteCount: Int = ReferenceStep.byteCount(
        inputs: inputs.map(\.form.shape), outputs: types.map(\.shape))
      try context.account.take(byteCount, for: types[0].shape)
      defer { context.account.giveBack(byteCount) }
      let made = try node.operation.define(inputs.map(\.values), types: types)
      for (value, tensor) in zip(outputs, made) { value.write(tensor) }
    }
    for (output, value) in zip(node.outputs, outputs) { values[output.index] = value }
  }

  /// Returns the types of a node's outputs. Shape inference first gets the values of small inputs only. If these do not
  /// suffice, it gets the values of all inputs.
  private func outputTypes(of node: Graph.Node, _ inputs: [RunValue]) throws -> [TensorType] {
    for limit in [1024, Int.max] {
      let read: [RunValue] = inputs.filter { $0.form.shape.count <= limit }
      // The values of all inputs may be large, so they are counted before they are copied.
      let byteCount: Int =
        limit == Int.max
        ? ReferenceStep.byteCount(inputs: read.map(\.form.shape), outputs: []) : 0
      try context.account.take(byteCount, for: read.first?.form.shape ?? [])
      defer { context.account.giveBack(byteCount) }
      let known: [OperatorInput] = inputs.map { input in
        OperatorInput(input.type, value: input.form.shape.count <= limit ? input.values : nil)
      }
      if let types = try node.operation.outputTypes(for: known) { return types }
    }
    throw EngineError(
      .unsupported, "the layer's output shape cannot be computed even from its inputs' values.")
  }
}

/// Runs the regions of one node in planned memory.
private struct Runner: RegionRunner {
  let regions: [RegionSession]
  let context: RunContext
  let loopLimit: Int

  func run(
    _ region: Int, _ arguments: inout [RunValue?], giving given: Int,
    into outputs: inout [RunValue?]
  ) throws -> RegionExit {
    if !context.limits.isNone { try context.limits.check() }
    return try regions[region].run(&arguments, giving: given, into: &outputs)
  }

  func number(in value: RunValue) -> Double? { value.number }
}
