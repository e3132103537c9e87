import Synchronization

/// A network that can be run at any shape: the graph, and the plans made of it so far.
///
/// Safe from many threads at once: each prediction takes a session of its own from the plan's pool.
public final class Network: Sendable {
  /// What the network means, before any pass.
  public let graph: Graph
  /// How it runs.
  public let options: ExecutionOptions
  private let passes: [any GraphPass.Type]
  private let plans = Mutex<[PreparedPlan]>([])

  /// The number of plans that are kept; the one unused for longest goes first.
  static let planLimit = 8
  /// The memory that the sessions of kept plans may take together, in bytes, the newest aside: a
  /// folder of large photos of many sizes must not add up.
  static let keptMemoryLimit = 1 << 30

  /// A network over a graph. Nothing is planned yet.
  public init(_ graph: Graph, passes: [any GraphPass.Type], options: ExecutionOptions) {
    self.graph = graph
    self.passes = passes
    self.options = options
  }

  /// The graph with types for these inputs, after all passes.
  public func optimizedGraph(for inputTypes: [TensorType]) throws -> Graph {
    var typed = graph
    try typed.inferTypes(from: inputTypes)
    for pass in passes { try pass.run(on: &typed) }
    return typed
  }

  /// The plan for these inputs, made now or before. Throws when the shapes do not fit the network or
  /// the plan does not fit the memory.
  public func plan(for inputTypes: [TensorType]) throws -> PreparedPlan {
    if let known = plans.withLock({ cached in Self.take(inputTypes, from: &cached) }) {
      return known
    }
    let optimized = try optimizedGraph(for: inputTypes)
    let plan = try Planner.plan(optimized, options: options)
    // What goes gives its memory back before the new plan asks for its own.
    plans.withLock { cached in Self.makeRoom(for: plan, in: &cached) }
    try MemoryBudget(options).check(plan, inputTypes: inputTypes)
    let made = PreparedPlan(plan, inputTypes: inputTypes)
    return plans.withLock { cached in
      if let known = Self.take(inputTypes, from: &cached) { return known }
      cached.insert(made, at: 0)
      return made
    }
  }

  /// Drops the plans unused for longest until the limits leave room for another.
  private static func makeRoom(for plan: Plan, in cached: inout [PreparedPlan]) {
    var kept = plan.arenaByteCount + cached.reduce(0) { $0 + $1.plan.arenaByteCount }
    while let oldest = cached.last, cached.count >= planLimit || kept > keptMemoryLimit {
      kept -= oldest.plan.arenaByteCount
      cached.removeLast()
    }
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
  private let idle = Mutex<Idle>(Idle())

  /// `@unchecked Sendable`: sessions in the pool are touched by nobody, and taken out under the lock.
  private struct Idle: @unchecked Sendable {
    var sessions: [Session] = []
  }

  init(_ plan: Plan, inputTypes: [TensorType]) {
    self.plan = plan
    self.inputTypes = inputTypes
  }

  /// Calls the closure with a session that nobody else uses; it goes back to the pool afterwards,
  /// also when the closure throws.
  public func withSession<Result>(_ body: (Session) throws -> Result) throws -> Result {
    let taken = idle.withLock { pool -> Idle in
      guard let last = pool.sessions.popLast() else { return Idle() }
      return Idle(sessions: [last])
    }
    let session = try taken.sessions.first ?? Session(plan)
    defer {
      let back = Idle(sessions: [session])
      idle.withLock { $0.sessions.append(contentsOf: back.sessions) }
    }
    return try body(session)
  }
}
