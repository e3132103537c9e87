import Platform

/// A graph that is planned segment by segment, because it has control flow or shapes that depend on values. Also holds
/// the plans made so far.
///
/// Adjacent nodes form one segment if their output shapes follow from their input shapes. A segment is planned once per
/// combination of forms. For a node whose shape depends on values, shape inference gets the values. A control node runs
/// its regions, which are graphs of this type. Kernels never get empty tensors.
///
/// All sessions share the graph.
final class SegmentedGraph: Sendable {
  let graph: Graph
  let options: ExecutionOptions
  /// The control node at each position among the nodes. Nil for other nodes.
  let controls: [Control?]
  /// The regions of the node at each position. Empty for nodes without regions.
  let regions: [[SegmentedGraph]]
  /// For each node, by its position: the values that this node reads or makes and that no later node reads.
  let released: [[Int]]
  /// For each value, by its index: the position of the last node that reads the value. For outputs of the graph, it is
  /// the number of nodes.
  private let lastReads: [Int]
  private let passes: [any GraphPass.Type]
  let found: Locked<Found>
  private let progress: Progress

  /// The largest number of cached plans for segments that start at the same node.
  static let segmentLimit = 8

  /// The plans that were made so far, and the axes that have had several lengths.
  struct Found: Sendable {
    /// The planned segments, by the position of their first node, the most recently used first.
    var segments: [[PlannedSegment]]
    /// The axes that have had several lengths.
    var dynamicAxes: DynamicAxes
  }

  /// A control node.
  struct Control: Sendable {
    let node: Graph.Node
    let rule: ControlRule
  }

  /// The state that a graph and its regions share. One thread plans at a time, so that other threads that need the
  /// same forms find the plan in the cache.
  private final class Progress: Sendable {
    /// The gate is reentrant, because a custom layer that is asked for its shapes may predict with its own model.
    let gate = Gate(isReentrant: true)
    let planCount = Locked(0)
    /// The weights that all plans share.
    let weights: PackedWeights

    init(_ weights: PackedWeights) { self.weights = weights }
  }

  /// Prepares a graph. Uses the types and constants that are known already.
  convenience init(
    _ graph: Graph, passes: [any GraphPass.Type], options: ExecutionOptions,
    weights: PackedWeights = PackedWeights()
  ) throws {
    try self.init(graph, passes, options, Progress(weights))
  }

  private init(
    _ graph: Graph, _ passes: [any GraphPass.Type], _ options: ExecutionOptions,
    _ progress: Progress
  ) throws {
    self.graph = graph
    self.passes = passes
    // Plans that are made during a run must not wait for kernels to be timed.
    var fixed: ExecutionOptions = options
    fixed.tuning = .fixed
    self.options = fixed
    self.progress = progress
    controls = graph.nodes.map { node in node.control.map { Control(node: node, rule: $0) } }
    lastReads = Self.lastReads(in: graph)
    released = Self.released(in: graph, lastReads)
    regions = try graph.nodes.map { node in
      try node.regions.map { region in
        try SegmentedGraph(Self.known(region, of: node, in: graph), passes, options, progress)
      }
    }
    found = Locked(
      Found(
        segments: [[PlannedSegment]](repeating: [], count: graph.nodes.count),
        dynamicAxes: DynamicAxes(valueCount: graph.values.count)))
    markLists()
  }

  private static func lastReads(in graph: Graph) -> [Int] {
    var result = [Int](repeating: -1, count: graph.values.count)
    for (position, node) in graph.nodes.enumerated() {
      for value in node.inputs + (node.leaving ?? []) { result[value.index] = position }
    }
    for value in graph.outputs { result[value.index] = graph.nodes.count }
    return result
  }

  private static func released(in graph: Graph, _ lastReads: [Int]) -> [[Int]] {
    graph.nodes.enumerated().map { position, node in
      let read = node.inputs + (node.leaving ?? []) + node.outputs
      return Set(read.map(\.index)).filter { lastReads[$0] <= position }.sorted()
    }
  }

  /// Returns the graph of a region. An argument of the region becomes a constant of that graph if the node's input for
  /// this argument is constant and no iteration changes the argument.
  private static func known(_ region: Graph.Region, of node: Graph.Node, in graph: Graph) throws
    -> Graph
  {
    var inner = region.graph
    let given = node.inputs.suffix(inner.inputs.count)
    var carriedCount = 0
    if case .loop? = node.control { carriedCount = node.outputs.count }
    for (input, value) in zip(inner.inputs, given).dropFirst(carriedCount) {
      inner[input].constant = graph[value].constant
    }
    try inner.inferTypes(
      from: inner.inputs.map { input in
        inner[input].constant?.type
      })
    return inner
  }

  /// The number of ``PlannedRun``s made so far, including those that were discarded.
  var planCount: Int { progress.planCount.withLock { $0 } }

  /// The cached plans, including those of regions.
  var plannedRuns: [PlannedRun] {
    found.withLock { $0.segments.flatMap { $0 } }.compactMap(\.run)
      + regions.joined().flatMap(\.plannedRuns)
  }

  /// The sum of the memory of one session for each cached plan, in bytes.
  var arenaByteCount: Int { plannedRuns.reduce(0) { $0 + $1.arenaByteCount } }

  /// The memory of packed weights and of the calls' tables, in bytes. Weights that several runs share count once. The
  /// tables of each run count separately.
  var constantByteCount: Int {
    let runs: [PlannedRun] = plannedRuns
    var counted: Set<ObjectIdentifier> = []
    return runs.flatMap(\.persistentConstants).reduce(runs.reduce(0) { $0 + $1.tableByteCount }) {
      sum, weight in
      counted.insert(ObjectIdentifier(weight)).inserted ? sum + weight.byteCount : sum
    }
  }
}

extension SegmentedGraph {
  /// Returns the longest segment that starts at a position and can be planned for values of these forms. If the first
  /// node cannot be planned, the segment is that node alone.
  ///
  /// - Parameter forms: The forms of the values that exist, by index.
  func segment(at position: Int, _ forms: [TensorDescriptor?]) throws -> PlannedSegment {
    try find(at: position, where: { !$0.isOfValues && $0.fits(forms) }) {
      var typed = graph
      try type(&typed, forms, at: position)
      if let rows = rows(at: position, typed, forms) { return rows }
      if let segment = try dynamicSegment(at: position, typed, forms) { return segment }
      let end = try self.end(of: &typed, from: position)
      guard end > position else { return self.alone(position, forms) }
      return try plan(position..<end, of: typed, forms)
    }
  }

  /// Returns a segment as ``segment(at:_:)`` does, but planned for exactly these forms.
  func exactSegment(at position: Int, _ forms: [TensorDescriptor?]) throws -> PlannedSegment {
    try find(at: position, where: { $0.isExact && $0.fits(forms) }) {
      var typed = graph
      try type(&typed, forms, at: position)
      return try plan(position..<self.end(of: &typed, from: position), of: typed, forms)
    }
  }

  /// Plans one node for output types that were computed from values.
  func segment(alone position: Int, _ forms: [TensorDescriptor?], making types: [TensorType]) throws
    -> PlannedSegment
  {
    try find(
      at: position,
      where: { $0.isOfValues && $0.fits(forms) && $0.outputs.map(\.type) == types }
    ) {
      var typed = graph
      try type(&typed, forms, at: position)
      for (value, type) in zip(graph.nodes[position].outputs, types) { typed[value].type = type }
      return try plan(position..<position + 1, of: typed, forms, isOfValues: true)
    }
  }

  /// Plans the segments that can be planned before the run, for inputs of these types.
  func planAhead(_ inputTypes: [TensorType]) throws -> [Plan.Segment] {
    var forms = [TensorDescriptor?](repeating: nil, count: graph.values.count)
    for (value, type) in zip(graph.inputs, inputTypes) {
      forms[value.index] = TensorDescriptor(type.shape, type.element)
    }
    var result: [Plan.Segment] = []
    var position = 0
    while position < graph.nodes.count {
      if let control = controls[position] {
        result.append(.control(control.node))
        position += 1
        continue
      }
      if let segment = try segmentAhead(at: position, forms), let run = segment.run {
        for (output, port) in zip(segment.outputs, run.outputs) {
          forms[output.value] = port.location.form
        }
        result.append(.run(run))
        position = segment.end
        continue
      }
      let end = controls[position...].firstIndex { $0 != nil } ?? graph.nodes.count
      result.append(.open(Array(graph.nodes[position..<end])))
      position = end
    }
    return result
  }

  /// Returns the segment that will start at a position when the network runs. Nil if the end of the segment depends on
  /// values that are not known yet.
  private func segmentAhead(at position: Int, _ forms: [TensorDescriptor?]) throws
    -> PlannedSegment?
  {
    func areKnown(_ node: Graph.Node, _ typed: Graph) -> Bool {
      node.inputs.allSatisfy { typed[$0].type != nil || typed[$0].constant != nil }
    }
    var typed = graph
    for (index, form) in forms.enumerated() {
      typed[Graph.ValueID(index)].type = form.map { TensorType($0.shape, $0.storage) }
    }
    guard areKnown(graph.nodes[position], typed) else { return nil }
    let end = try self.end(of: &typed, from: position)
    guard end > position else { return nil }
    if end < graph.nodes.count, controls[end] == nil, !areKnown(graph.nodes[end], typed) {
      return nil
    }
    return try segment(at: position, forms)
  }

  /// Returns a cached segment that fits, or a new one.
  private func find(
    at position: Int, where fits: (PlannedSegment) -> Bool, _ make: () throws -> PlannedSegment
  ) throws -> PlannedSegment {
    try progress.gate.locked {
      let known = found.withLock { found -> PlannedSegment? in
        guard let index = found.segments[position].firstIndex(where: fits) else { return nil }
        let segment = found.segments[position].remove(at: index)
        found.segments[position].insert(segment, at: 0)
        return segment
      }
      if let known { return known }
      let made = try make()
      found.withLock { found in
        found.segments[position].insert(made, at: 0)
        if found.segments[position].count > Self.segmentLimit {
          found.segments[position].removeLast()
        }
      }
      return made
    }
  }

  /// Sets the types of the values that exist.
  ///
  /// - Throws: An error if a value that the node at the position reads does not exist.
  private func type(_ typed: inout Graph, _ forms: [TensorDescriptor?], at position: Int) throws {
    for (index, form) in forms.enumerated() {
      typed[Graph.ValueID(index)].type = form.map { TensorType($0.shape, $0.storage) }
    }
    let node = graph.nodes[position]
    for input in node.inputs where forms[input.index] == nil && graph[input].constant == nil {
      throw node.missing(graph[input].name)
    }
  }

  /// Returns the position after the last node that can be planned together with the nodes from `start` on.
  func end(of typed: inout Graph, from start: Int) throws -> Int {
    var end = start
    while end < graph.nodes.count, controls[end] == nil {
      let node = graph.nodes[end]
      // Ends the segment before a node that writes rows. Such a node runs without a plan, so that it can write in
      // place.
      if node.writesRows { break }
      for input in node.inputs where typed[input].type == nil {
        // A value that is a known constant has the constant's type. If a node computes the value, that node has run
        // already or is in this segment.
        typed[input].type = typed[input].constant?.type
      }
      guard try typed.infer(node) else { break }
      let isEmpty = (node.inputs + node.outputs).contains { typed[$0].type?.shape.count == 0 }
      if isEmpty { break }
      end += 1
    }
    return end
  }

  /// Returns the segment of a node that cannot be planned before its inputs' values are known.
  private func alone(_ position: Int, _ forms: [TensorDescriptor?]) -> PlannedSegment {
    let inputs: [PlannedSegment.Input] = graph.nodes[position].inputs.compactMap { input in
      forms[input.index].map { PlannedSegment.Input(value: input.index, form: $0) }
    }
    return PlannedSegment(
      end: position + 1, inputs: inputs, outputs: [], released: released[position], kind: .alone)
  }

  /// Plans a range of nodes.
  ///
  /// - Parameter axes: The axes on which values may be shorter than their types say, by the values' indices.
  func plan(
    _ range: Range<Int>, of typed: Graph, _ forms: [TensorDescriptor?], isOfValues: Bool = false,
    dynamicOn axes: [Int: Int] = [:]
  ) throws -> PlannedSegment {
    progress.planCount.withLock { $0 += 1 }
    var part = GraphPart(range, of: typed) {
      isOfValues || lastReads[$0.index] >= range.upperBound
    }
    if !isOfValues { for pass in passes { try pass.run(on: &part.graph) } }
    let given: [TensorDescriptor] = part.inputs.map { input in
      forms[input.index]
        ?? TensorDescriptor(typed[input].type?.shape ?? [], typed[input].type?.element ?? .float32)
    }
    let run = try Planner.plan(
      part.graph, options: options, boundary: .given(given),
      weights: progress.weights)
    try MemoryBudget(options).check(
      run, inputTypes: given.map { TensorType($0.shape, $0.storage) })
    return PlannedSegment(
      end: range.upperBound,
      inputs: zip(part.inputs, given).map { value, form in
        PlannedSegment.Input(value: value.index, form: form, axis: axes[value.index])
      },
      outputs: zip(part.outputs, run.outputs).map { value, port in
        PlannedSegment.Output(
          value: value.index, type: typed[value].type ?? TensorType(port.location.form.shape),
          location: port.location, axis: axes[value.index])
      },
      released: released[range].flatMap { $0 }, kind: .run(run), isOfValues: isOfValues)
  }
}
