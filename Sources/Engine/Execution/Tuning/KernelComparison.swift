import Platform

/// The times of all candidates for the nodes of a network whose kernels are chosen by time, each on the whole of
/// its inputs: what a choice is worth.
public struct KernelComparison: Encodable, Sendable {
  /// A node, or several that are alike.
  public struct Entry: Encodable, Sendable {
    /// The name of the first such node.
    public let name: String
    /// The operator's name.
    public let kind: String
    /// How many nodes of the network are like this one.
    public let count: Int
    /// The products that the definition makes.
    public let products: Double
    /// The candidate that the fixed order takes.
    public let fixed: String
    /// The candidate that was chosen by time.
    public let chosen: String
    /// The least time of each candidate.
    public let times: [KernelTime]

    /// The time of a candidate beside that of the best.
    public func ratio(of kernel: String) -> Double {
      let best: Double = times.map(\.milliseconds).min() ?? 0
      let own: Double = times.first { $0.kernel == kernel }?.milliseconds ?? best
      return best > 0 ? own / best : 1
    }
  }

  /// The numbers in which the network computes.
  public let precision: String
  /// The nodes, in their order.
  public let entries: [Entry]

  /// Runs every candidate of every node in turns, so many times each.
  ///
  /// - Throws: `EngineError` where the types do not fit the network or memory is short.
  public init(_ network: Network, inputTypes: [TensorType], runs: Int) throws {
    let graph: Graph = try network.optimizedGraph(for: inputTypes)
    let tuned: GraphTuning = KernelTuner.tune(graph, network.options)
    precision = tuned.options.precision == .bfloat16 ? "bfloat16" : "float32"
    var order: [String] = []
    var alike: [String: [TunedNode]] = [:]
    for node in TunedNode.all(in: graph) {
      let key: String = node.key(tuned.options)
      if alike[key] == nil { order.append(key) }
      alike[key, default: []].append(node)
    }
    entries = try TeamSize.with(tuned.options.threads) {
      try order.compactMap { key in
        guard let nodes = alike[key], let node = nodes.first else { return nil }
        let times: [KernelTime] = try Self.times(of: node, tuned.options, runs: runs)
        guard let first = times.first else { return nil }
        return Entry(
          name: node.name, kind: node.operation.name, count: nodes.count, products: node.products,
          fixed: first.kernel, chosen: tuned.choices[node.output]?.kernel ?? first.kernel,
          times: times)
      }
    }
  }

  private static func times(
    of node: TunedNode, _ options: ExecutionOptions, runs: Int
  ) throws -> [KernelTime] {
    let fitting = try node.kernels(of: node.whole, options)
    let kernels: [Kernel] = fitting.map(\.kernel)
    let byteCount: Int = TimedKernel.byteCount(kernels)
    let buffer = try AlignedBuffer(byteCount: byteCount)
    // Safe: all of the buffer.
    buffer.pointer.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    let trials: [TimedKernel] = try fitting.map {
      try TimedKernel($0.name, $0.kernel, among: kernels, in: buffer, isCold: node.isCold)
    }
    for _ in 0...max(1, runs) {
      for trial in trials { try trial.run(threads: options.threads) }
    }
    return trials.map { KernelTime(kernel: $0.name, milliseconds: Double($0.best) / 1e6) }
  }
}
