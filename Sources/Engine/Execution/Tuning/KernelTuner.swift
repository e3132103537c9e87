import CKernels
import Platform

/// The results of timing a graph's kernels.
struct GraphTuning {
  /// The caller's options, with the faster precision.
  var options: ExecutionOptions
  /// The fastest kernels, by the index of their node's first output.
  var choices: [Int: KernelChoice] = [:]
  /// Whether all kernels and the precision are chosen, so that measuring would change nothing.
  var isComplete = true
}

/// Times the kernels of each node for which several kernels fit, on this machine, with the node's shapes and number of
/// threads. Nodes that were timed before are not timed again.
///
/// A node is timed on a part of its rows, with zeros as inputs. Each candidate runs once. Candidates that take much
/// longer than the best are dropped. The rest run several times more, round robin. The shortest time counts.
struct KernelTuner {
  private let options: ExecutionOptions
  private let memory: KernelChoiceStore
  /// The time at which measuring ends, in nanoseconds. The remaining nodes use the fixed order and are timed with the
  /// next plan.
  private let deadline: UInt64
  /// The memory in which kernels run.
  private var buffer: AlignedBuffer?

  /// The longest time that a plan may spend on measuring, in nanoseconds.
  static let mostNanoseconds: UInt64 = 600_000_000
  /// How many times a candidate runs if it is about as fast as the best candidate. It runs fewer times if the
  /// comparison reaches its time limit, ``mostNanosecondsOfNode``.
  private static let rounds = 4
  /// How many more times a candidate runs if its time is within 10 % of the best time. With fewer runs, noise would
  /// decide which candidate is faster.
  private static let closeRounds = 8
  /// The time limit of one comparison of a node's candidates, in nanoseconds.
  private static let mostNanosecondsOfNode: UInt64 = 50_000_000
  /// The largest number of comparisons of a node's candidates. A second comparison follows if other programs disturbed
  /// the first one.
  private static let attempts = 2
  /// If a node's threads were preempted at most this many times, the node's times count as undisturbed.
  private static let fewInterruptions = 6

  /// One graph is timed at a time, because graphs would compete for the processors.
  private static let gate = Gate()

  private init(
    _ nodes: [TunedNode], _ options: ExecutionOptions, _ memory: KernelChoiceStore, measures: Bool
  ) {
    self.options = options
    self.memory = memory
    let multiplyAdds: Double = nodes.reduce(0) { $0 + $1.multiplyAdds }
    deadline =
      measures ? MonotonicClock.now() + Self.nanoseconds(for: multiplyAdds, options) : 0
  }

  /// Returns the time that a plan may spend on measuring, in nanoseconds. If the number of runs is known, the time for
  /// measuring is at most half of the time that these runs will take. A single photo thus does not wait for choices
  /// that pay off only after thousands of runs. Repeated single runs complete the choices gradually.
  static func nanoseconds(for multiplyAdds: Double, _ options: ExecutionOptions) -> UInt64 {
    guard let runs = options.expectedRuns else { return mostNanoseconds }
    let each: Double = multiplyAdds / (multiplyAddsPerNanosecond * Double(max(1, options.threads)))
    let half: Double = each * Double(max(0, runs)) / 2
    return half < Double(mostNanoseconds) ? UInt64(half) : mostNanoseconds
  }

  /// The rough number of multiply-adds per nanosecond and thread in a fast bfloat16 kernel.
  private static let multiplyAddsPerNanosecond = 100.0

  /// Returns the fastest kernels of a graph with known types, from the store or measured now. Takes them only from the
  /// store if `measures` is false.
  static func tune(
    _ graph: Graph, _ options: ExecutionOptions, memory: KernelChoiceStore = .shared,
    measures: Bool = true
  ) -> GraphTuning {
    let none = GraphTuning(options: options)
    // Timing runs the kernels on this processor, so kernels are timed only if they are chosen for this processor.
    guard options.tuning == .measured, options.kernelSeed == nil, options.processor == .current
    else { return none }
    let nodes: [TunedNode] = TunedNode.all(in: graph)
    guard !nodes.isEmpty else { return none }
    return gate.locked {
      TeamSize.with(options.threads) {
        var tuner = KernelTuner(nodes, options, memory, measures: measures)
        let result: GraphTuning = tuner.tune(nodes, of: graph)
        tuner.buffer = nil
        memory.save()
        return result
      }
    }
  }

  private mutating func tune(_ nodes: [TunedNode], of graph: Graph) -> GraphTuning {
    var result = GraphTuning(options: options)
    var key: String?
    // Only processors that multiply bfloat16 need a comparison. On other processors, kernels need as many multiply-adds
    // for both types, and bfloat16 moves fewer bytes.
    if options.precision == .bfloat16, options.processor.multipliesBFloat16 {
      let name: String = KernelChoiceStore.networkKey(nodes.map { $0.key(options) })
      if let known = memory.precision(name) {
        result.options.precision = known
      } else {
        key = name
      }
    }
    result.choices = choices(of: nodes, result.options, withTimes: key != nil)
    result.isComplete = result.choices.count == nodes.count
    guard let key, result.isComplete else { return result }
    // If bfloat16 may be slower than float32, kernels are timed in both types.
    var exact: ExecutionOptions = options
    exact.precision = options.precision.withoutRounding
    let limit: Double = result.choices.values.reduce(0) { $0 + $1.milliseconds }
    let rest: Double = (limit - Self.savedMilliseconds(graph, nodes)) * KernelChoice.margin
    guard let isSlower = exceeds(rest, nodes, exact) else {
      result.isComplete = false
      return result
    }
    memory.remember(isSlower ? .bfloat16 : exact.precision, as: key)
    if !isSlower {
      result.options = exact
      result.choices = choices(of: nodes, exact, withTimes: false)
    }
    return result
  }

  /// Returns whether the fastest kernels of all nodes together take longer than this many milliseconds. Nil if the time
  /// for measuring ends before the answer is known. Starts with the largest nodes, so that the answer may be known
  /// before all nodes are timed.
  private mutating func exceeds(
    _ limit: Double, _ nodes: [TunedNode], _ options: ExecutionOptions
  ) -> Bool? {
    var sum = 0.0
    for node in nodes.sorted(by: { $0.multiplyAdds > $1.multiplyAdds }) {
      guard sum <= limit else { return true }
      guard let choice = choice(for: node, options, withTimes: true) else { return nil }
      sum += choice.milliseconds
    }
    return sum > limit
  }

  /// Roughly estimates the time, in milliseconds, that bfloat16 saves in the untimed nodes by halving memory traffic.
  private static func savedMilliseconds(_ graph: Graph, _ timed: [TunedNode]) -> Double {
    let outputs = Set(timed.map(\.output))
    let elements: Double = graph.nodes.reduce(0) { sum, node in
      guard node.outputs.first.map({ !outputs.contains($0.index) }) ?? false else { return sum }
      return (node.inputs + node.outputs).reduce(sum) { sum, value in
        graph[value].constant == nil ? sum + Double(graph[value].type?.shape.count ?? 0) : sum
      }
    }
    // bfloat16 saves two bytes per element, at 10 GB/s.
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

  /// Returns the fastest kernel of a node. Nil if no kernel could be timed. A single candidate is timed only if the
  /// caller needs its time.
  private mutating func choice(
    for node: TunedNode, _ options: ExecutionOptions, withTimes: Bool
  ) -> KernelChoice? {
    if !withTimes, let kernel = try? node.untimedKernel(options) {
      return KernelChoice(kernel: kernel, times: [])
    }
    let key: String = node.key(options)
    if let known = memory.choice(key), !withTimes || !known.times.isEmpty {
      return known.scaled(by: node.multiplyAdds / Self.unit)
    }
    guard MonotonicClock.now() < deadline else { return nil }
    // If timing fails, the planner takes the first kernel that fits, in the fixed order. If making that kernel fails,
    // too, the planner throws the error.
    guard let part = try? node.part(options.threads),
      let made = try? measure(node, part, options, withTimes: withTimes)
    else { return nil }
    memory.remember(made.scaled(by: Self.unit / node.multiplyAdds), as: key)
    return made
  }

  /// The number of multiply-adds to which stored times are scaled. Images of about the same size share the scaled
  /// times.
  private static let unit = 1e9

  /// Measures the times of a part's candidates and scales these times to the whole node.
  private mutating func measure(
    _ node: TunedNode, _ part: TunedNode.Part, _ options: ExecutionOptions, withTimes: Bool
  ) throws -> KernelChoice? {
    let fitting = try node.kernels(of: part, options)
    if fitting.count == 1, !withTimes { return KernelChoice(kernel: fitting[0].name, times: []) }
    let kernels: [Kernel] = fitting.map(\.kernel)
    guard try allocate(for: TimedKernel.byteCount(kernels), besides: kernels), let buffer else {
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

  /// Runs candidates round robin.
  ///
  /// - Returns: Whether the processors were undisturbed, so that the shortest time counts. Otherwise the shortest
  ///   processor time is a rough measure.
  private static func compare(_ trials: [TimedKernel], threads: Int) throws -> Bool {
    ck_watch_contention()
    // The first run wakes the team.
    try trials.first?.run(threads: threads)
    let start: UInt64 = MonotonicClock.now()
    // Most disturbances are short, so a second attempt may succeed. A second attempt can only shorten the shortest
    // times.
    for attempt in 1...attempts {
      let interruptions: Int = MonotonicClock.interruptions()
      try runRoundRobin(
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
    try runRoundRobin(
      trials, threads: threads, until: start + UInt64(attempts + 1) * mostNanosecondsOfNode,
      by: \.leastWork)
    return false
  }

  /// Runs candidates round robin until the time `end`, in nanoseconds. Drops candidates that took much longer than the
  /// best. After one run, “much longer” means more than eight times as long, or more than three times if nothing
  /// disturbed the run. One disturbed run thus does not exclude a candidate. After two runs, it means more than 1.5
  /// times as long. Runs of earlier attempts count, too. Candidates within 10 % of the best then run several times
  /// more.
  private static func runRoundRobin(
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

  /// Allocates the memory in which kernels run, and fills the part for inputs with zeros. Returns false if this memory
  /// and the kernels' packed weights would together take more than a quarter of the caller's limit, or of the free
  /// memory if there is no such limit.
  private mutating func allocate(for byteCount: Int, besides kernels: [Kernel]) throws -> Bool {
    let weights: Int = kernels.flatMap(\.weights).reduce(0) { $0 + $1.byteCount }
    let limit: Int = (options.memoryLimit ?? MemoryBudget.available()) / 4
    guard byteCount <= limit, weights <= limit - byteCount else { return false }
    if (buffer?.byteCount ?? 0) < byteCount {
      buffer = nil
      buffer = try AlignedBuffer(byteCount: byteCount)
    }
    if let buffer {
      // Safe: the inputs are the first part of the buffer. This part may hold results of the kernels of earlier nodes,
      // because all nodes use the same buffer.
      buffer.pointer.initializeMemory(
        as: UInt8.self, repeating: 0, count: TimedKernel.inputByteCount(kernels))
    }
    return true
  }
}
