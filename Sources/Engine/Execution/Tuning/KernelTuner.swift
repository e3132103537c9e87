import CKernels
import Platform

/// What was found out about a graph's kernels.
struct GraphTuning {
  /// The options with the precision that is the faster one.
  var options: ExecutionOptions
  /// The kernels that are the fastest, by the index of their nodes' first output.
  var choices: [Int: KernelChoice] = [:]
}

/// Times the kernels of a graph's nodes where several fit, each on this machine, with its shapes and number of
/// threads, unless that was done before.
///
/// A node is timed on a part of its rows, on zeros. Each candidate runs once; those that take much longer than
/// the best are left, the others run some times more in turns, and the least time counts.
struct KernelTuner {
  private let options: ExecutionOptions
  private let memory: KernelMemory
  /// When measuring ends, in nanoseconds: nodes that are left then keep the fixed order, and are timed with
  /// the next plan.
  private let deadline: UInt64
  /// Memory that kernels run in.
  private var buffer: AlignedBuffer?

  /// The time that a plan may spend on measuring, in nanoseconds.
  static let mostNanoseconds: UInt64 = 600_000_000
  /// How often candidates run that are close to the best, and after which time they do no more.
  private static let rounds = 4
  /// How often those run again that are within a tenth of the best: their order lies in the noise of a few runs.
  private static let closeRounds = 8
  private static let mostNanosecondsOfNode: UInt64 = 50_000_000
  /// How often candidates are compared until nobody disturbs them.
  private static let attempts = 2
  /// How often a node's threads may be interrupted while their times are believed.
  private static let fewInterruptions = 6

  /// One graph is timed at a time: others would take its processors.
  private static let gate = Gate()

  private init(_ nodes: [TunedNode], _ options: ExecutionOptions, _ memory: KernelMemory) {
    self.options = options
    self.memory = memory
    let products: Double = nodes.reduce(0) { $0 + $1.products }
    deadline = MonotonicClock.now() + Self.nanoseconds(for: products, options)
  }

  /// The time that a plan of so many products may spend on measuring, in nanoseconds: no more than half of what
  /// its runs will take, where it is known how many there will be. One photo does not wait for the choices that
  /// pay for thousands, and a row of single ones makes them bit by bit.
  static func nanoseconds(for products: Double, _ options: ExecutionOptions) -> UInt64 {
    guard let runs = options.expectedRuns else { return mostNanoseconds }
    let each: Double = products / (productsPerNanosecond * Double(max(1, options.threads)))
    let half: Double = each * Double(max(0, runs)) / 2
    return half < Double(mostNanoseconds) ? UInt64(half) : mostNanoseconds
  }

  /// Products that a thread makes in a nanosecond in a fast kernel of bfloat16, roughly.
  private static let productsPerNanosecond = 100.0

  /// The fastest kernels of a graph whose types are known, from memory or measured now.
  static func tune(
    _ graph: Graph, _ options: ExecutionOptions, memory: KernelMemory = .shared
  ) -> GraphTuning {
    let none = GraphTuning(options: options)
    // Kernels run here, so they are chosen for this processor or not timed.
    guard options.tuning == .measured, options.kernelSeed == nil, options.processor == .current
    else { return none }
    let nodes: [TunedNode] = TunedNode.all(in: graph)
    guard !nodes.isEmpty else { return none }
    return gate.locked {
      TeamSize.with(options.threads) {
        var tuner = KernelTuner(nodes, options, memory)
        let result: GraphTuning = tuner.tune(nodes, of: graph)
        tuner.buffer = nil
        memory.keep()
        return result
      }
    }
  }

  private mutating func tune(_ nodes: [TunedNode], of graph: Graph) -> GraphTuning {
    var result = GraphTuning(options: options)
    var key: String?
    // Elsewhere kernels make the same products of both, and move fewer bytes of bfloat16.
    if options.precision == .bfloat16, options.processor.multipliesBFloat16 {
      let name: String = KernelMemory.networkKey(nodes.map { $0.key(options) })
      if let known = memory.precision(name) {
        result.options.precision = known
      } else {
        key = name
      }
    }
    result.choices = choices(of: nodes, result.options, withTimes: key != nil)
    guard let key, result.choices.count == nodes.count else { return result }
    // Where bfloat16 may be slower than float32, both are timed.
    var exact: ExecutionOptions = options
    exact.precision = .float32
    let limit: Double = result.choices.values.reduce(0) { $0 + $1.milliseconds }
    let rest: Double = (limit - Self.savedMilliseconds(graph, nodes)) * KernelChoice.margin
    guard let isSlower = exceeds(rest, nodes, exact) else { return result }
    memory.remember(isSlower ? .bfloat16 : .float32, as: key)
    if !isSlower {
      result.options = exact
      result.choices = choices(of: nodes, exact, withTimes: false)
    }
    return result
  }

  /// Whether the fastest kernels of all nodes together take longer than so many milliseconds; nil where that
  /// is not known when the time for measuring is over. The largest nodes come first, so that the answer may
  /// be known before all have been timed.
  private mutating func exceeds(
    _ limit: Double, _ nodes: [TunedNode], _ options: ExecutionOptions
  ) -> Bool? {
    var sum = 0.0
    for node in nodes.sorted(by: { $0.products > $1.products }) {
      guard sum <= limit else { return true }
      guard let choice = choice(for: node, options, withTimes: true) else { return nil }
      sum += choice.milliseconds
    }
    return sum > limit
  }

  /// What bfloat16 saves of a graph's other nodes by moving half the bytes, in milliseconds, roughly.
  private static func savedMilliseconds(_ graph: Graph, _ timed: [TunedNode]) -> Double {
    let outputs = Set(timed.map(\.output))
    let elements: Double = graph.nodes.reduce(0) { sum, node in
      guard node.outputs.first.map({ !outputs.contains($0.index) }) ?? false else { return sum }
      return (node.inputs + node.outputs).reduce(sum) { sum, value in
        graph[value].constant == nil ? sum + Double(graph[value].type?.shape.count ?? 0) : sum
      }
    }
    // Two bytes an element less, at 10 bytes a nanosecond.
    return elements * 2 / 10 / 1e6
  }

  private mutating func choices(
    of nodes: [TunedNode], _ options: ExecutionOptions, withTimes: Bool
  ) -> [Int: KernelChoice] {
    var result: [Int: KernelChoice] = [:]
    for node in nodes {
      result[node.output] = choice(for: node, options, withTimes: withTimes)
    }
    return result
  }

  /// The fastest kernel of a node; nil where none could be timed. A single candidate is timed only where its
  /// time is asked for.
  private mutating func choice(
    for node: TunedNode, _ options: ExecutionOptions, withTimes: Bool
  ) -> KernelChoice? {
    let key: String = node.key(options)
    if let known = memory.choice(key), !withTimes || !known.times.isEmpty {
      return known.scaled(by: node.products / Self.unit)
    }
    guard MonotonicClock.now() < deadline else { return nil }
    // A kernel that cannot be timed is no error: the fixed order says what runs, and whether that fails.
    guard let part = try? node.part(options.threads),
      let made = try? measure(node, part, options, withTimes: withTimes)
    else { return nil }
    memory.remember(made.scaled(by: Self.unit / node.products), as: key)
    return made
  }

  /// Times are remembered of so many products, so that they serve pictures of about the same size.
  private static let unit = 1e9

  /// The times of a part's candidates, for the whole node by proportion.
  private mutating func measure(
    _ node: TunedNode, _ part: TunedNode.Part, _ options: ExecutionOptions, withTimes: Bool
  ) throws -> KernelChoice? {
    let fitting = try node.kernels(of: part, options)
    if fitting.count == 1, !withTimes { return KernelChoice(kernel: fitting[0].name, times: []) }
    let kernels: [Kernel] = fitting.map(\.kernel)
    guard try makeRoom(for: TimedKernel.byteCount(kernels), beside: kernels), let buffer else {
      return nil
    }
    let trials: [TimedKernel] = try fitting.map {
      try TimedKernel($0.name, $0.kernel, among: kernels, in: buffer, isCold: node.isCold)
    }
    let isQuiet: Bool = try Self.compare(trials, threads: options.threads)
    return KernelChoice(
      trials.map { trial in
        let time: UInt64 = isQuiet ? trial.best : trial.leastWork
        return KernelTime(kernel: trial.name, milliseconds: Double(time) / 1e6 / part.share)
      }, margin: isQuiet ? KernelChoice.margin : KernelChoice.roughMargin)
  }

  /// Runs candidates in turns.
  ///
  /// - Returns: whether the processors were ours meanwhile, and the least time says how fast a candidate is. Where
  ///   other programs took them, the least processor time does, roughly.
  private static func compare(_ trials: [TimedKernel], threads: Int) throws -> Bool {
    ck_watch_contention()
    // The first one wakes the team.
    try trials.first?.run(threads: threads)
    let start: UInt64 = MonotonicClock.now()
    // Most disturbances are short: the next moment may be a quiet one, and least times only fall.
    for attempt in 1...attempts {
      let interruptions: Int = MonotonicClock.interruptions()
      try runInTurns(
        trials, threads: threads, until: start + UInt64(attempt) * mostNanosecondsOfNode,
        by: \.best)
      let least: UInt64 = trials.map(\.best).min() ?? 0
      if MonotonicClock.interruptions() - interruptions <= fewInterruptions,
        trials.allSatisfy({ $0.best / 2 > least || $0.isUndisturbed })
      {
        return true
      }
    }
    ck_watch_contention()
    try runInTurns(
      trials, threads: threads, until: start + UInt64(attempts + 1) * mostNanosecondsOfNode,
      by: \.leastWork)
    return false
  }

  /// One bad moment does not settle a candidate's fate: it is left after one run where it took eight times as
  /// long as the best, in this attempt or an earlier one, or three times with nobody to disturb it, and after
  /// two where it is not among the contenders. What is then close to the best runs some times more.
  private static func runInTurns(
    _ trials: [TimedKernel], threads: Int, until end: UInt64,
    by time: KeyPath<TimedKernel, UInt64>
  ) throws {
    let known: UInt64 = trials.map { $0[keyPath: time] }.min() ?? 0
    for trial in trials where trial.isUntimed || trial[keyPath: time] / 8 <= known {
      try trial.run(threads: threads)
    }
    guard trials.count > 1 else { return }
    for round in 1..<rounds where MonotonicClock.now() < end {
      let best: UInt64 = trials.map { $0[keyPath: time] }.min() ?? 0
      for trial in trials {
        let most: UInt64 = round > 1 ? best / 2 * 3 : trial.isUndisturbed ? best * 3 : best * 8
        if trial[keyPath: time] <= most { try trial.run(threads: threads) }
      }
    }
    for _ in 0..<closeRounds where MonotonicClock.now() < end {
      let most: UInt64 = (trials.map { $0[keyPath: time] }.min() ?? 0) / 10 * 11
      let close: [TimedKernel] = trials.filter { $0[keyPath: time] <= most }
      guard close.count > 1 else { return }
      for trial in close { try trial.run(threads: threads) }
    }
  }

  /// Memory for kernels with zeros where their inputs lie, as long as it is a small part of what is left.
  private mutating func makeRoom(for byteCount: Int, beside kernels: [Kernel]) throws -> Bool {
    let weights: Int = kernels.flatMap(\.weights).reduce(0) { $0 + $1.byteCount }
    let limit: Int = (options.memoryLimit ?? MemoryBudget.available()) / 4
    guard byteCount <= limit, weights <= limit - byteCount else { return false }
    if (buffer?.byteCount ?? 0) < byteCount {
      buffer = nil
      buffer = try AlignedBuffer(byteCount: byteCount)
    }
    if let buffer {
      // Safe: the buffer's first part. Kernels before have left their results there.
      buffer.pointer.initializeMemory(
        as: UInt8.self, repeating: 0, count: TimedKernel.inputByteCount(kernels))
    }
    return true
  }
}
