import Engine

/// The time of each kernel call of a plan.
public struct LayerProfile: Encodable, Sendable {
  /// A call of a kernel.
  public struct Entry: Encodable, Sendable {
    /// The layer's name.
    public let name: String
    /// The layer's kind.
    public let kind: String
    /// The kernel, with the variant that a library chose.
    public let kernel: String
    /// The mean time of the call over all runs, in milliseconds.
    public let milliseconds: Double
    /// The candidates and their times, if the planner measured several kernels and chose the fastest. Empty otherwise.
    public let candidates: [KernelTime]
  }

  /// The calls in the order of the plan.
  public let calls: [Entry]

  /// Runs a network several times, after a first run that is not timed, and computes the mean times.
  ///
  /// The inputs are zero, because the time does not depend on their values.
  public init(_ network: Network, inputTypes: [TensorType], runs: Int) throws {
    let prepared: PreparedPlan = try network.plan(for: inputTypes, measuresNow: true)
    let planned: PlannedRun = try prepared.plan.wholeRun()
    var times = [UInt64](repeating: 0, count: planned.calls.count)
    try prepared.withSession { session in
      try session.run()
      for _ in 0..<runs {
        // A run may have written other tensors to the memory of the inputs.
        for index in planned.inputs.indices {
          let input: PortTensor = session.input(index)
          // Safe: the memory has the bytes of the input's form.
          input.memory.initializeMemory(
            as: UInt8.self, repeating: 0, count: input.form.byteCount)
        }
        try session.run(adding: &times)
      }
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
