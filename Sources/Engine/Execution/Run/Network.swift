import Platform

/// A network that can be run at any shape: the graph, and the plans made of it so far.
///
/// Safe from many threads at once: each prediction takes a session of its own from the plan's pool.
public final class Network: Sendable {
  /// What the network means, before any pass.
  public let graph: Graph
  /// How it runs.
  public let options: ExecutionOptions
  private let passes: [any GraphPass.Type]
  private let plans = Locked<[PreparedPlan]>([])
  /// Reentrant, as a user's layer that is asked for its shapes may predict with its own model.
  private let planning = Gate(isReentrant: true)
  private let keptMemoryLimit: Int
  let weights = PackedWeights()
  private let made = Locked(0)

  /// The number of plans that are kept; the one unused for longest goes first.
  static let planLimit = 8
  /// The memory that the sessions of all plans may take together, with the packed weights that the newest plan does
  /// not read, in bytes: a folder of large photos of many sizes must not add up.
  public static let keptMemoryLimit = 1 << 30

  /// A network over a graph. Nothing is planned yet.
  ///
  /// - Parameter keptMemoryLimit: the memory that plans may keep for later runs, in bytes.
  public init(
    _ graph: Graph, passes: [any GraphPass.Type], options: ExecutionOptions,
    keptMemoryLimit: Int = Network.keptMemoryLimit
  ) {
    self.graph = graph
    self.keptMemoryLimit = keptMemoryLimit
    self.passes = passes.filter {
      !$0.needsByteProducts || options.processor.multipliesBytes
    }
    self.options = options
  }

  /// The graph with types for these inputs, after all passes; of a graph that cannot be planned as a
  /// whole only what is known ahead is folded.
  public func optimizedGraph(for inputTypes: [TensorType]) throws -> Graph {
    try optimized(inputTypes).graph
  }

  func optimized(_ inputTypes: [TensorType]) throws -> (graph: Graph, isStatic: Bool) {
    var typed = graph
    try typed.inferTypes(from: inputTypes)
    if !typed.isStatic {
      try RemoveDeadCode.run(on: &typed)
      guard typed.isStatic else { return (typed, false) }
    }
    for pass in passes { try pass.run(on: &typed) }
    return (typed, inputTypes.allSatisfy { $0.shape.count > 0 })
  }

  /// The plan for these inputs, made now or before. Throws when the shapes do not fit the network or the
  /// plan does not fit the memory.
  public func plan(for inputTypes: [TensorType]) throws -> PreparedPlan {
    try plan(for: inputTypes, mustFit: true)
  }

  /// The number of plans made so far to be run, for tests and listings.
  package var planCount: Int { made.withLock { $0 } }

  /// As ``plan(for:)``. Where it need not fit the memory, a plan that does not is returned, to be looked
  /// at and not to be run, and is not kept.
  func plan(for inputTypes: [TensorType], mustFit: Bool) throws -> PreparedPlan {
    if let known = plans.withLock({ cached in Self.take(inputTypes, from: &cached) }) {
      return known
    }
    // One caller plans at a time: those who come for the same shapes meanwhile find them planned, and
    // weights are packed once and not once per caller.
    return try planning.locked {
      if let known = plans.withLock({ cached in Self.take(inputTypes, from: &cached) }) {
        return known
      }
      let fresh = try prepare(inputTypes)
      if !mustFit, !fits(fresh) { return fresh }
      // What goes gives its memory back before the new plan asks for its own.
      plans.withLock { cached in makeRoom(for: fresh.plan, in: &cached) }
      try checkBudget(of: fresh)
      // Before anybody else sees the plan: the next one's budget counts what is packed.
      try fresh.plan.whole?.prepareWeights()
      plans.withLock { cached in cached.insert(fresh, at: 0) }
      return fresh
    }
  }

  /// Drops the plans unused for longest until the limits leave room for another.
  private func makeRoom(for fresh: Plan, in cached: inout [PreparedPlan]) {
    while !cached.isEmpty,
      cached.count >= Self.planLimit || keptByteCount(of: cached, beside: fresh) > keptMemoryLimit
    {
      cached.removeLast()
    }
  }

  /// What plans keep that would be free without them, and the new plan's session, in bytes. Packed weights that
  /// several plans share are counted once, and those that the new plan reads stay in any case.
  private func keptByteCount(of cached: [PreparedPlan], beside fresh: Plan) -> Int {
    var counted = Set(fresh.packedWeights.map(ObjectIdentifier.init))
    return cached.reduce(fresh.whole?.arenaByteCount ?? 0) { sum, prepared in
      prepared.plan.packedWeights.reduce(sum + prepared.keptByteCount) { sum, weight in
        counted.insert(ObjectIdentifier(weight)).inserted ? sum + weight.byteCount : sum
      }
    }
  }

  /// The memory that all plans keep for later runs, in bytes.
  package var keptByteCount: Int {
    plans.withLock { $0.reduce(weights.byteCount) { $0 + $1.keptByteCount } }
  }

  private func prepare(_ inputTypes: [TensorType]) throws -> PreparedPlan {
    let budget: MemoryBudget = budget(for: inputTypes)
    try budget.check(inputs: inputTypes)
    let (optimized, isStatic) = try optimized(inputTypes)
    if isStatic { try budget.check(optimized) }
    made.withLock { $0 += 1 }
    guard isStatic else {
      let graph = try SegmentedGraph(optimized, passes: passes, options: options, weights: weights)
      return PreparedPlan(try Plan(graph, inputTypes: inputTypes), inputTypes: inputTypes)
    }
    let tuned: GraphTuning = KernelTuner.tune(optimized, options)
    let run = try Planner.plan(
      optimized, options: tuned.options, weights: weights, choices: tuned.choices,
      packsForEachCall: options.expectedRuns == 1)
    return PreparedPlan(Plan(run), inputTypes: inputTypes)
  }

  private func checkBudget(of prepared: PreparedPlan) throws {
    guard let run = prepared.plan.whole else { return }
    try budget(for: prepared.inputTypes).check(run, inputTypes: prepared.inputTypes)
  }

  private func fits(_ prepared: PreparedPlan) -> Bool {
    prepared.plan.whole.map { MemoryBudget(options).factor(toFit: $0) == 1 } ?? true
  }

  /// Finds a plan and moves it to the front.
  private static func take(_ types: [TensorType], from cached: inout [PreparedPlan])
    -> PreparedPlan?
  {
    guard let position = cached.firstIndex(where: { $0.inputTypes == types }) else { return nil }
    if position == 0 { return cached[0] }
    let found = cached.remove(at: position)
    cached.insert(found, at: 0)
    return found
  }
}

/// A plan and the sessions that are free to run it.
public final class PreparedPlan: Sendable {
  /// How the machine computes.
  public let plan: Plan
  /// The shapes that it was made for.
  public let inputTypes: [TensorType]
  private let pool: SessionPool

  init(_ plan: Plan, inputTypes: [TensorType]) {
    self.plan = plan
    self.inputTypes = inputTypes
    pool = SessionPool(plan, inputTypes: inputTypes)
  }

  /// The memory that is kept for the next runs beside the network's packed weights, in bytes: sessions and
  /// tables.
  var keptByteCount: Int { pool.keptByteCount + plan.tableByteCount }

  /// Calls the closure with a session that nobody else uses; it goes back to the pool afterwards,
  /// also when the closure throws. Waits where another session would not fit the memory.
  public func withSession<Result>(_ body: (Session) throws -> Result) throws -> Result {
    let session = try pool.take()
    defer { pool.give(back: session) }
    return try body(session)
  }
}
