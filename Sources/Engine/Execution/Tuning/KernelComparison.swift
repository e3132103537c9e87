import Platform

/// A comparison of kernels on a network: the times of all candidates, for each node whose kernel is chosen by time.
/// Each candidate runs on all rows of the node's inputs. The times show how much time a choice saves.
public struct KernelComparison: Encodable, Sendable {
  /// A node, or several nodes with equal operators and shapes.
  public struct Entry: Encodable, Sendable {
    /// The name of the first of these nodes.
    public let name: String
    /// The operator's name.
    public let kind: String
    /// The number of such nodes in the network.
    public let count: Int
    /// The number of multiply-adds of the operator's reference implementation.
    public let multiplyAdds: Double
    /// The first candidate in the fixed order.
    public let fixed: String
    /// The candidate that was chosen by time.
    public let chosen: String
    /// The best time of each candidate.
    public let times: [KernelTime]

    /// Returns the time of a candidate divided by the best candidate's time.
    public func ratio(of kernel: String) -> Double {
      let best: Double = times.map(\.milliseconds).min() ?? 0
      let own: Double = times.first { $0.kernel == kernel }?.milliseconds ?? best
      return best > 0 ? own / best : 1
    }
  }

  /// The floating-point type in which the network computes.
  public let precision: String
  /// The nodes, in the graph's order.
  public let entries: [Entry]

  /// For each entry, runs every candidate of its first node `runs` + 1 times, round robin.
  ///
  /// - Throws: `EngineError` if the types do not fit the network or memory is short.
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
          name: node.name, kind: node.operation.name, count: nodes.count,
          multiplyAdds: node.multiplyAdds,
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
    // Safe: the call writes exactly the buffer's bytes.
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
