import CKernels
import Glibc

/// One running prediction: the memory of a plan's tensors and the handles of its steps.
///
/// Not for two threads at once; a ``Network`` keeps a pool of them. After it is made, ``run()``
/// allocates nothing.
public final class Session {
  private struct PreparedCall {
    let step: Step
    let memory: StepMemory
  }

  /// What runs.
  public let plan: Plan
  private let arena: UnsafeMutableRawPointer
  private let arenaByteCount: Int
  private let pointers: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private var calls: ContiguousArray<PreparedCall> = []

  /// Takes the plan's memory from the system. Throws `outOfMemory` when there is none.
  public init(_ plan: Plan) throws {
    try plan.prepareWeights()
    self.plan = plan
    arenaByteCount = max(plan.arenaByteCount, 64)
    // Anonymous pages: aligned, zeroed by the system when first touched, given back on unmap.
    let mapped = mmap(
      nil, arenaByteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let mapped, mapped != MAP_FAILED else {
      throw EngineError(
        .outOfMemory,
        "\(arenaByteCount / 1_048_576) MB of memory could not be had; a smaller input needs less.")
    }
    arena = mapped
    if arenaByteCount >= 1 << 22 { madvise(mapped, arenaByteCount, 14 /* MADV_HUGEPAGE */) }
    let count = plan.calls.reduce(1) { $0 + $1.inputs.count + $1.outputs.count }
    pointers = .allocate(capacity: count)
    try prepareCalls()
  }

  deinit {
    calls.removeAll()
    pointers.deallocate()
    munmap(arena, arenaByteCount)
  }

  /// Computes the outputs from the inputs that lie in memory.
  ///
  /// - Throws: what a layer throws, with its name; `cancelled` or `timedOut` when the limits end it.
  public func run(_ limits: RunLimits = .none) throws {
    if plan.threads > 1 { ck_watch_contention() }
    let isLimited: Bool = !limits.isNone
    try TeamSize.with(plan.threads) {
      for (position, call) in calls.enumerated() {
        if isLimited { try limits.check() }
        do {
          try call.step.run(call.memory)
        } catch let error as EngineError {
          throw error.naming(plan.calls[position].kind, plan.calls[position].name)
        }
      }
    }
  }

  /// Computes like ``run()`` and adds the nanoseconds of each call to `times`, one entry a call.
  public func run(adding times: inout [UInt64]) throws {
    precondition(times.count == calls.count, "one entry a call")
    try TeamSize.with(plan.threads) {
      for (position, call) in calls.enumerated() {
        let start = MonotonicClock.now()
        try call.step.run(call.memory)
        times[position] += MonotonicClock.now() - start
      }
    }
  }

  /// The memory of a tensor of the plan; valid as long as the session.
  public func pointer(_ location: Plan.Location) -> UnsafeMutableRawPointer {
    switch location.place {
    // Safe: the planner keeps every tensor within the arena.
    case .arena(let offset): return arena + offset
    case .constant(let index): return plan.constants[index].pointer
    }
  }

  private func prepareCalls() throws {
    var next = pointers
    for call in plan.calls {
      let inputs = next
      for location in call.inputs {
        next.initialize(to: pointer(location))
        next += 1
      }
      let outputs = next
      for location in call.outputs {
        next.initialize(to: pointer(location))
        next += 1
      }
      calls.append(
        PreparedCall(
          step: call.step,
          memory: StepMemory(
            inputs: UnsafePointer(inputs), outputs: UnsafePointer(outputs),
            scratch: arena + call.scratchOffset, state: try call.step.makeState())))
    }
  }
}

/// The monotonic clock, in nanoseconds.
enum MonotonicClock {
  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
