import Engine

/// The plan of a network on this machine, call by call. It is one of the stages that `atelier inspect` shows.
public struct PlanListing: Encodable, Sendable {
  /// A call of a kernel.
  public struct Call: Encodable, Sendable {
    /// The layer's name.
    public let name: String
    /// The layer's kind.
    public let kind: String
    /// The kernel, with the variant that a library chose.
    public let kernel: String
    /// The stored type, layout and extents of the call's inputs. Constants and inputs without axes are left out.
    public let inputs: [ListedTensor]
    /// The stored type, layout and extents of the call's outputs.
    public let outputs: [ListedTensor]
    /// The scratch memory of this call, in bytes.
    public let scratchBytes: Int
  }

  /// The calls in the order of the plan.
  public let calls: [Call]
  /// The number of threads.
  public let threads: Int
  /// The precision: `float32`, or `bfloat16`, which only some kernels use.
  public let precision: String
  /// The device in words, such as `the processor (AMD EPYC)`.
  public let device: String
  /// The memory that a prediction needs while it runs, in bytes.
  public let sessionBytes: Int
  /// The memory of the packed weights, in bytes.
  public let weightBytes: Int

  /// Lists a plan of a single segment: all of its calls are known before the run.
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
  /// The inputs that have axes and are not constants. Constants are packed, or outside of the session's memory.
  fileprivate var computedInputs: [Plan.Location] {
    inputs.filter { location in
      if case .constant = location.place { return false }
      return location.form.shape.rank > 0
    }
  }
}
