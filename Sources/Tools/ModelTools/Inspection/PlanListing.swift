import Engine

/// How this machine computes a network, call by call: the third stage of `atelier inspect`.
public struct PlanListing: Encodable, Sendable {
  /// A call of a kernel.
  public struct Call: Encodable, Sendable {
    /// The layer's name.
    public let name: String
    /// The layer's kind.
    public let kind: String
    /// The kernel, with the variant that a library chose.
    public let kernel: String
    /// How it reads what is computed: stored type, layout and extents.
    public let inputs: [ListedTensor]
    /// How it writes.
    public let outputs: [ListedTensor]
    /// Memory for this call alone.
    public let scratchBytes: Int
  }

  /// The calls in order.
  public let calls: [Call]
  /// The number of threads.
  public let threads: Int
  /// `float32`, or `bfloat16` where kernels have it.
  public let precision: String
  /// What computes: `the processor (AMD EPYC)`.
  public let device: String
  /// The memory of one running prediction.
  public let sessionBytes: Int
  /// The memory of the packed weights.
  public let weightBytes: Int

  /// Lists a plan of one segment.
  public init(_ plan: PlannedRun, precision: Precision, device: String) {
    self.device = device
    calls = plan.calls.map { call in
      let detail: String = call.step.detail
      return Call(
        name: call.name, kind: call.kind,
        kernel: detail.isEmpty ? call.kernel : "\(call.kernel) (\(detail))",
        inputs: call.computedInputs.map { ListedTensor($0.form) },
        outputs: call.outputs.map { ListedTensor($0.form) },
        scratchBytes: call.scratchByteCount)
    }
    threads = plan.threads
    self.precision = "\(precision)"
    sessionBytes = plan.arenaByteCount
    weightBytes = plan.constantByteCount
  }
}

extension Plan.Call {
  /// The inputs without constants, which lie beside the session's memory or are packed into the kernel.
  fileprivate var computedInputs: [Plan.Location] {
    inputs.filter { location in
      if case .constant = location.place { return false }
      return location.form.shape.rank > 0
    }
  }
}
