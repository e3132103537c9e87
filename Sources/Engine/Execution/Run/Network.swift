import Platform

/// A network that can run for any input shapes. It holds the graph, and the plans that were made of the graph so far.
///
/// Safe to use from several threads at once: each prediction takes its own session from the plan's pool.
public final class Network: Sendable {
  /// The graph before any pass.
  public let graph: Graph
  /// How the network runs.
  public let options: ExecutionOptions
  private let passes: [any GraphPass.Type]
  private let plans = Locked<[PreparedPlan]>([])
  /// The gate is reentrant, because a custom layer that is asked for its shapes may predict with its own model.
  private let planning = Gate(isReentrant: true)
  private let cachedMemoryLimit: Int
  let weights = PackedWeights()
  private let made = Locked(0)
  private let choices: KernelChoiceStore

  /// The maximum number of cached plans. The least recently used plan is removed first.
  static let planLimit = 16
  /// The limit in bytes on the sum of two parts: the sessions of all cached plans, and the packed weights that the
  /// newest plan does not read. The limit keeps a folder of large photos of many sizes from filling memory.
  public static let cachedMemoryLimit = 1 << 30

  /// Creates a network over a graph. Plans nothing yet.
  ///
  /// - Parameter cachedMemoryLimit: The memory that cached plans may hold, in bytes.
  public convenience init(
    _ graph: Graph, passes: [any GraphPass.Type], options: ExecutionOptions,
    cachedMemoryLimit: Int = Network.cachedMemoryLimit
  ) {
    self.init(
      graph, passes: passes, options: options, cachedMemoryLimit: cachedMemoryLimit,
      choices: .shared)
  }

  init(
    _ graph: Graph, passes: [any GraphPass.Type], options: ExecutionOptions, cachedMemoryLimit: Int,
    choices: KernelChoiceStore
  ) {
    self.choices = choices
    self.graph = graph
    self.cachedMemoryLimit = cachedMemoryLimit
    self.passes = passes.filter {
      !$0.needsInt8DotProduct || options.processor.hasInt8DotProduct
    }
    self.options = options
  }

  /// Returns the graph with types for these inputs, after all passes. If some nodes can be planned only during the run,
  /// only values that are known before the run are folded.
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

  /// Returns the plan for these inputs, from the cache or newly made. Throws if the shapes do not fit the network or
  /// the plan does not fit into memory.
  ///
  /// A plan is cheap to make if its kernels are not measured, and most processes that predict once need no faster ones.
  /// So if the caller did not say how many runs to expect, kernels without a remembered choice keep the fixed order
  /// first. The third request for the same inputs measures them and makes a new plan.
  ///
  /// - Parameter measuresNow: Whether this request measures the kernels.
  public func plan(for inputTypes: [TensorType], measuresNow: Bool = false) throws -> PreparedPlan {
    let known = try plan(for: inputTypes, mustFit: true, measuresNow: measuresNow)
    return known.takesMeasuring(now: measuresNow) ? measured(known) : known
  }

  /// Measures the kernels of a plan and returns a plan with the fastest ones. Returns the same plan if the new one does
  /// not fit into memory beside it.
  private func measured(_ known: PreparedPlan) -> PreparedPlan {
    planning.locked {
      do {
        let fresh = try prepare(known.inputTypes, measures: true)
        try checkBudget(of: fresh)
        try fresh.plan.whole?.prepareWeights()
        plans.withLock { cached in
          cached.removeAll { $0 === known }
          evictPlans(for: fresh.plan, in: &cached)
          cached.insert(fresh, at: 0)
        }
        return fresh
      } catch {
        return known
      }
    }
  }

  /// The number of runnable plans made so far, for tests and listings.
  package var planCount: Int { made.withLock { $0 } }

  /// Returns a plan as ``plan(for:)`` does. With `mustFit` false, also returns a plan that does not fit into memory,
  /// for inspection only. Such a plan is not cached and must not run.
  func plan(
    for inputTypes: [TensorType], mustFit: Bool, measuresNow: Bool = false
  ) throws -> PreparedPlan {
    if let known = plans.withLock({ cached in Self.take(inputTypes, from: &cached) }) {
      return known
    }
    // One caller plans at a time. Other callers that need the same shapes then find the plan in the cache, and weights
    // are packed once instead of once per caller.
    return try planning.locked {
      if let known = plans.withLock({ cached in Self.take(inputTypes, from: &cached) }) {
        return known
      }
      let fresh = try prepare(inputTypes, measures: measuresNow || options.expectedRuns != nil)
      if !mustFit, !fits(fresh) { return fresh }
      // Removed plans free their memory before the new plan allocates its own.
      plans.withLock { cached in evictPlans(for: fresh.plan, in: &cached) }
      try checkBudget(of: fresh)
      // Packs the weights before other threads see the plan, because the next plan's budget counts packed weights.
      try fresh.plan.whole?.prepareWeights()
      plans.withLock { cached in cached.insert(fresh, at: 0) }
      return fresh
    }
  }

  /// Removes the least recently used plans until the new plan fits the limits.
  private func evictPlans(for fresh: Plan, in cached: inout [PreparedPlan]) {
    while !cached.isEmpty,
      cached.count >= Self.planLimit
        || cachedByteCount(of: cached, besides: fresh) > cachedMemoryLimit
    {
      cached.removeLast()
    }
  }

  /// Returns the number of bytes that removing all cached plans would free, plus the size of the new plan's session.
  /// Packed weights that several plans share count once. Weights that the new plan reads do not count.
  private func cachedByteCount(of cached: [PreparedPlan], besides fresh: Plan) -> Int {
    var counted = Set(fresh.packedWeights.map(ObjectIdentifier.init))
    return cached.reduce(fresh.whole?.arenaByteCount ?? 0) { sum, prepared in
      prepared.plan.packedWeights.reduce(sum + prepared.cachedByteCount) { sum, weight in
        counted.insert(ObjectIdentifier(weight)).inserted ? sum + weight.byteCount : sum
      }
    }
  }

  /// The memory that all plans hold for later runs, in bytes.
  package var cachedByteCount: Int {
    plans.withLock { $0.reduce(weights.byteCount) { $0 + $1.cachedByteCount } }
  }

  private func prepare(_ inputTypes: [TensorType], measures: Bool) throws -> PreparedPlan {
    let budget: MemoryBudget = budget(for: inputTypes)
    try budget.check(inputs: inputTypes)
    let (optimized, isStatic) = try optimized(inputTypes)
    if isStatic { try budget.check(optimized) }
    made.withLock { $0 += 1 }
    guard isStatic else {
      let graph = try SegmentedGraph(optimized, passes: passes, options: options, weights: weights)
      return PreparedPlan(try Plan(graph, inputTypes: inputTypes), inputTypes: inputTypes)
    }
    let tuned: GraphTuning = KernelTuner.tune(
      optimized, options, memory: choices, measures: measures)
    let run = try Planner.plan(
      optimized, options: tuned.options, weights: weights, choices: tuned.choices,
      packsForEachCall: options.expectedRuns == 1)
    return PreparedPlan(
      Plan(run), inputTypes: inputTypes, needsMeasuring: !measures && !tuned.isComplete)
  }

  private func checkBudget(of prepared: PreparedPlan) throws {
    guard let run = prepared.plan.whole else { return }
    try budget(for: prepared.inputTypes).check(run, inputTypes: prepared.inputTypes)
  }

  private func fits(_ prepared: PreparedPlan) -> Bool {
    prepared.plan.whole.map { MemoryBudget(options).factor(toFit: $0) == 1 } ?? true
  }

  /// Finds a plan for these types and moves it to the front.
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

/// A plan and its idle sessions.
public final class PreparedPlan: Sendable {
  /// How this machine computes the network.
  public let plan: Plan
  /// The input types that the plan was made for.
  public let inputTypes: [TensorType]
  private let pool: SessionPool
  /// The number of requests until kernels are measured. Nil if all are chosen, or a request measures them.
  private let requestsUntilMeasuring: Locked<Int?>
  /// The request of a plan that measures its kernels.
  private static let measuringRequest = 3

  init(_ plan: Plan, inputTypes: [TensorType], needsMeasuring: Bool = false) {
    self.plan = plan
    self.inputTypes = inputTypes
    pool = SessionPool(plan, inputTypes: inputTypes)
    requestsUntilMeasuring = Locked(needsMeasuring ? Self.measuringRequest : nil)
  }

  /// Counts a request. Returns whether it is the one that measures the kernels of the plan.
  fileprivate func takesMeasuring(now: Bool) -> Bool {
    requestsUntilMeasuring.withLock { left in
      guard let count = left else { return false }
      let isDue: Bool = now || count <= 1
      left = isDue ? nil : count - 1
      return isDue
    }
  }

  /// The memory that is cached for later runs, in bytes: sessions and tables. The network's packed weights do not
  /// count.
  var cachedByteCount: Int { pool.cachedByteCount + plan.tableByteCount }

  /// Calls the closure with a session that nothing else uses. The session returns to the pool afterwards, even if the
  /// closure throws. If all sessions are in use and memory is too short for one more, waits until a session returns.
  public func withSession<Result>(_ body: (Session) throws -> Result) throws -> Result {
    let session = try pool.take()
    defer { pool.give(back: session) }
    return try body(session)
  }
}
