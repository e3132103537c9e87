import Engine

/// How long each call of a plan takes.
public struct LayerProfile: Encodable, Sendable {
  /// A call of a kernel.
  public struct Entry: Encodable, Sendable {
    /// The layer's name.
    public let name: String
    /// The layer's kind.
    public let kind: String
    /// The kernel, with the variant that a library chose.
    public let kernel: String
    /// The mean of all runs.
    public let milliseconds: Double
    /// The candidates by whose times the kernel was chosen; none where it was not chosen by time.
    public let candidates: [KernelTime]
  }

  /// The calls in order.
  public let calls: [Entry]

  /// Runs a network some times, after a first time that does not count, and takes the means.
  ///
  /// The inputs hold zeros, which takes as long as anything else.
  public init(_ network: Network, inputTypes: [TensorType], runs: Int) throws {
    let prepared: PreparedPlan = try network.plan(for: inputTypes)
    let planned: PlannedRun = try prepared.plan.wholeRun()
    var times = [UInt64](repeating: 0, count: planned.calls.count)
    try prepared.withSession { session in
      try session.run()
      for _ in 0..<runs { try session.run(adding: &times) }
    }
    let each: Double = 1e6 * Double(max(runs, 1))
    calls = zip(planned.calls, times).map { call, time in
      let detail: String = call.step.detail
      return Entry(
        name: call.name, kind: call.kind,
        kernel: detail.isEmpty ? call.kernel : "\(call.kernel) (\(detail))",
        milliseconds: Double(time) / each, candidates: call.choice?.times ?? [])
    }
  }
}
