import Platform

/// A graph that is planned segment by segment, because it decides what runs or has shapes that depend on
/// values; and what was planned of it so far.
///
/// Neighbouring nodes whose shapes follow from those of their inputs are one segment, planned once for
/// each combination of forms; a node whose shape depends on values is asked with the values; a node
/// of control flow runs its regions, which are graphs of this kind. Empty tensors are never given to
/// kernels.
///
/// Shared by all sessions.
final class SegmentedGraph: Sendable {
  let graph: Graph
  let options: ExecutionOptions
  /// The nodes that decide what runs, by position.
  let controls: [Control?]
  /// The regions of those nodes, by position.
  let regions: [[SegmentedGraph]]
  /// The values that nobody reads after the node at a position.
  let released: [[Int]]
  /// The last node that reads each value; the node count for those that leave the graph.
  private let lastReads: [Int]
  private let passes: [any GraphPass.Type]
  let found: Locked<Found>
  private let progress: Progress

  /// The number of plans that are kept for one position.
  static let segmentLimit = 8

  /// What was planned and seen so far.
  struct Found: Sendable {
    /// By the position of the first node, the last used first.
    var segments: [[PlannedSegment]]
    /// The values that come in many lengths.
    var growth: Growth
  }

  /// A node that decides what runs.
  struct Control: Sendable {
    let node: Graph.Node
    let rule: ControlRule
  }

  /// What a graph and its regions share while they are planned: one plans at a time, so that those who
  /// come for the same forms meanwhile find them planned.
  private final class Progress: Sendable {
    /// Reentrant, as a user's layer that is asked for its shapes may predict with its own model.
    let gate = Gate(isReentrant: true)
    let planCount = Locked(0)
    /// The weights that the plans of all parts share.
    let weights: PackedWeights

    init(_ weights: PackedWeights) { self.weights = weights }
  }

  /// Prepares a graph; types and constants that are known already are used.
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
    // What is planned while a network runs must not wait for measurements.
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
        growth: Growth(valueCount: graph.values.count)))
    noteLists()
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

  /// The graph of a region with what is known ahead: arguments that are constants around it and that no
  /// turn of a loop changes.
  private static func known(_ region: Graph.Region, of node: Graph.Node, in graph: Graph) throws
    -> Graph
  {
    var inner = region.graph
    let given = node.inputs.suffix(inner.inputs.count)
    var isCarried = 0
    if case .loop? = node.control { isCarried = node.outputs.count }
    for (input, value) in zip(inner.inputs, given).dropFirst(isCarried) {
      inner[input].constant = graph[value].constant
    }
    try inner.inferTypes(
      from: inner.inputs.map { input in
        inner[input].constant?.type
      })
    return inner
  }

  /// How many runs have been planned so far, those that were given up again too.
  var planCount: Int { progress.planCount.withLock { $0 } }

  /// What is planned and kept, in the regions too.
  var plannedRuns: [PlannedRun] {
    found.withLock { $0.segments.flatMap { $0 } }.compactMap(\.run)
      + regions.joined().flatMap(\.plannedRuns)
  }

  /// The memory that sessions of what is planned take, in bytes.
  var arenaByteCount: Int { plannedRuns.reduce(0) { $0 + $1.arenaByteCount } }

  /// The memory of packed weights, in bytes: those that several runs share once, and the tables of each.
  var constantByteCount: Int {
    let runs: [PlannedRun] = plannedRuns
    var counted: Set<ObjectIdentifier> = []
    return runs.flatMap(\.staying).reduce(runs.reduce(0) { $0 + $1.tableByteCount }) {
      sum, weight in
      counted.insert(ObjectIdentifier(weight)).inserted ? sum + weight.byteCount : sum
    }
  }
}

extension SegmentedGraph {
  /// The longest run of nodes from a position on that can be planned together for values of these forms;
  /// where the first cannot, that node alone.
  ///
  /// - Parameter forms: those of the values that exist, by index.
  func segment(at position: Int, _ forms: [TensorDescriptor?]) throws -> PlannedSegment {
    try find(at: position, where: { !$0.isOfValues && $0.fits(forms) }) {
      var typed = graph
      try type(&typed, forms, at: position)
      if let rows = rows(at: position, typed, forms) { return rows }
      if let grown = try growing(at: position, typed, forms) { return grown }
      let end = try self.end(of: &typed, from: position)
      guard end > position else { return self.alone(position, forms) }
      return try plan(position..<end, of: typed, forms)
    }
  }

  /// Like ``segment(at:_:)``, for these forms and no others.
  func exactSegment(at position: Int, _ forms: [TensorDescriptor?]) throws -> PlannedSegment {
    try find(at: position, where: { $0.isExact && $0.fits(forms) }) {
      var typed = graph
      try type(&typed, forms, at: position)
      return try plan(position..<self.end(of: &typed, from: position), of: typed, forms)
    }
  }

  /// One node planned for output types that were computed from values.
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

  /// Plans what is known ahead for inputs of these types.
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

  /// The segment that will start at a position when the network runs; nil where values that are not
  /// known yet decide how far it goes.
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

  /// What was found before, or is planned now.
  private func find(
    at position: Int, where fits: (PlannedSegment) -> Bool, _ make: () throws -> PlannedSegment
  ) throws -> PlannedSegment {
    try progress.gate.locked {
      let known = found.withLock { found -> PlannedSegment? in
        guard let place = found.segments[position].firstIndex(where: fits) else { return nil }
        let segment = found.segments[position].remove(at: place)
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

  /// Gives the values their types.
  ///
  /// - Throws: where a value that the node at the position reads does not exist.
  private func type(_ typed: inout Graph, _ forms: [TensorDescriptor?], at position: Int) throws {
    for (index, form) in forms.enumerated() {
      typed[Graph.ValueID(index)].type = form.map { TensorType($0.shape, $0.storage) }
    }
    let node = graph.nodes[position]
    for input in node.inputs where forms[input.index] == nil && graph[input].constant == nil {
      throw node.missing(graph[input].name)
    }
  }

  /// The position after the last node from a position on that can be planned together.
  func end(of typed: inout Graph, from start: Int) throws -> Int {
    var end = start
    while end < graph.nodes.count, controls[end] == nil {
      let node = graph.nodes[end]
      // Without a plan it may write into the memory that it reads.
      if node.writesRows { break }
      for input in node.inputs where typed[input].type == nil {
        // Known before anything runs; its node has run, or stands in this segment.
        typed[input].type = typed[input].constant?.type
      }
      guard try typed.infer(node) else { break }
      let isEmpty = (node.inputs + node.outputs).contains { typed[$0].type?.shape.count == 0 }
      if isEmpty { break }
      end += 1
    }
    return end
  }

  /// A node that cannot be planned before its inputs' values are known.
  private func alone(_ position: Int, _ forms: [TensorDescriptor?]) -> PlannedSegment {
    let inputs: [PlannedSegment.Input] = graph.nodes[position].inputs.compactMap { input in
      forms[input.index].map { PlannedSegment.Input(value: input.index, form: $0) }
    }
    return PlannedSegment(
      end: position + 1, inputs: inputs, outputs: [], released: released[position], kind: .alone)
  }

  /// Plans nodes.
  ///
  /// - Parameter axes: the values that may be shorter than the types say, and on which axis.
  func plan(
    _ range: Range<Int>, of typed: Graph, _ forms: [TensorDescriptor?], isOfValues: Bool = false,
    growingOn axes: [Int: Int] = [:]
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
      part.graph, options: options, border: .given(given),
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
