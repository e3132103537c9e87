import CKernels
import COneDNN
import Glibc
import Platform

/// The memory of a planned run's tensors, and the state of its steps. After the initialiser, running allocates nothing.
///
/// Not safe to use from two threads at once.
final class RunSession {
  private struct PreparedCall {
    let step: Step
    let memory: StepMemory
    /// The weights that are packed for this call and released after it.
    let transientWeights: [PackedWeight]

    /// Packs the call's own weights, runs the body and releases the weights.
    func withWeights(_ body: () throws -> Void) throws {
      guard !transientWeights.isEmpty else { return try body() }
      var count = 0
      defer { for weight in transientWeights.prefix(count) { weight.release() } }
      for weight in transientWeights {
        try weight.hold()
        count += 1
      }
      try body()
    }
  }

  /// The plan that runs.
  let plan: PlannedRun
  private let arena: UnsafeMutableRawPointer
  private let arenaByteCount: Int
  private let pointers: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private var calls: ContiguousArray<PreparedCall> = []
  /// The external memories of this run, by position in ``PlannedRun/externals``.
  private var given: [UnsafeMutableRawPointer?]
  /// The session's memory for externals that the caller has not supplied, by position in ``PlannedRun/externals``.
  private var own: [Int: AlignedBuffer] = [:]
  /// The choices between the team and one thread, by the position of the call. Only calls with threads that often
  /// synchronise have a choice. A choice matters only while other programs need the processors.
  private var choices: [Int: TeamChoice] = [:]
  private var slots: [[UnsafeMutablePointer<UnsafeMutableRawPointer>]]

  /// Allocates the plan's memory. Throws `outOfMemory` if memory is short.
  init(_ plan: PlannedRun) throws {
    // If the whole plan was made before the run, its network has packed the weights already. For regions and trainers,
    // the first session packs the weights here.
    try plan.prepareWeights()
    self.plan = plan
    given = [UnsafeMutableRawPointer?](repeating: nil, count: plan.externals.count)
    slots = [[UnsafeMutablePointer<UnsafeMutableRawPointer>]](
      repeating: [], count: plan.externals.count)
    arenaByteCount = max(plan.arenaByteCount, 64)
    // Anonymous pages are aligned, zeroed by the system when first touched, and freed by munmap.
    let mapped = mmap(
      nil, arenaByteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let mapped, mapped != MAP_FAILED else {
      throw EngineError(
        .outOfMemory,
        "The system did not give \(arenaByteCount / 1_048_576) MB of memory; use a smaller input.")
    }
    arena = mapped
    if arenaByteCount >= 1 << 22 { LargePages.advise(mapped, arenaByteCount) }
    let count = plan.calls.reduce(1) { $0 + $1.inputs.count + $1.outputs.count }
    pointers = .allocate(capacity: count)
    try prepareCalls()
    if plan.threads > 1 {
      for (position, call) in plan.calls.enumerated() where call.step.synchronizesOften {
        choices[position] = TeamChoice()
      }
    }
  }

  deinit {
    calls.removeAll()
    pointers.deallocate()
    munmap(arena, arenaByteCount)
  }

  /// Sets the memory of an input or output, by its position in ``PlannedRun/externals``.
  func give(_ memory: UnsafeMutableRawPointer, at position: Int) {
    guard given[position] != memory else { return }
    given[position] = memory
    for slot in slots[position] { slot.pointee = memory }
  }

  /// Uses zeroed memory of the session for all externals that the caller has not supplied.
  func completeGiven() throws {
    for position in given.indices where given[position] == nil {
      let buffer = try own[position] ?? AlignedBuffer(byteCount: plan.externals[position])
      if own[position] == nil { memset(buffer.pointer, 0, buffer.byteCount) }
      own[position] = buffer
      give(buffer.pointer, at: position)
    }
  }

  /// Forgets the external memories that belong to the last caller. Zeroes the session's own memory for externals.
  func forgetGiven() {
    for position in given.indices where given[position] != nil {
      if let buffer = own[position], buffer.pointer == given[position] {
        memset(buffer.pointer, 0, buffer.byteCount)
      }
      given[position] = nil
    }
  }

  /// Computes the outputs from the inputs in memory. Uses fewer threads while other runs need cores.
  ///
  /// - Parameter reports: Whether to report progress to the limits.
  /// - Throws: The error of a layer, with the layer's name; `cancelled` or `timedOut` if the limits end the run.
  func run(_ limits: RunLimits, reports: Bool = false) throws {
    let isLimited: Bool = !limits.isNone
    let isBrief: Bool = !choices.isEmpty && ck_limits_spinning() != 0
    let before = Int(adnn_threads())
    var team: Int = before
    defer { if team != before { adnn_set_threads(Int32(clamping: before)) } }
    for (position, call) in calls.enumerated() {
      let wanted: Int = RunCount.shared.team(of: plan.threads)
      if wanted != team {
        adnn_set_threads(Int32(clamping: wanted))
        team = wanted
      }
      if isLimited {
        try limits.check()
        if reports { limits.report(position, of: calls.count) }
      }
      do {
        try call.withWeights {
          if isBrief, choices[position] != nil {
            try runAsChosen(position, team: team)
          } else {
            try call.step.run(call.memory)
          }
        }
      } catch let error as EngineError {
        let call: Plan.Call = plan.calls[position]
        throw error.naming(call.origin?.kind ?? call.kind, call.origin?.name ?? call.name)
      }
    }
  }

  /// Runs a call on the team or on one thread, as the call's ``TeamChoice`` states. Records the time in the choice.
  private func runAsChosen(_ position: Int, team: Int) throws {
    let isAlone: Bool = choices[position]?.isAlone ?? false
    let start = MonotonicClock.now()
    try TeamSize.with(isAlone ? 1 : team) {
      try calls[position].step.run(calls[position].memory)
    }
    choices[position]?.note(MonotonicClock.now() - start)
  }

  /// Computes like ``run(_:)`` and adds the nanoseconds of each call to `times`, which has one entry per call.
  func run(adding times: inout [UInt64]) throws {
    precondition(times.count == calls.count, "one entry per call")
    for (position, call) in calls.enumerated() {
      let start = MonotonicClock.now()
      try call.withWeights { try call.step.run(call.memory) }
      times[position] += MonotonicClock.now() - start
    }
  }

  /// Returns the memory of a tensor of the plan. The session's own memory is valid until the session is freed. Memory
  /// that the caller supplied is valid until the caller frees it.
  func pointer(_ location: Plan.Location) -> UnsafeMutableRawPointer {
    switch location.place {
    // Safe: the planner places every tensor within the arena.
    case .arena(let offset): return arena + offset
    case .constant(let index): return plan.constants[index].pointer
    case .external(let position): return given[position] ?? arena
    }
  }

  private func prepareCalls() throws {
    var next = pointers
    func add(_ location: Plan.Location) {
      next.initialize(to: pointer(location))
      if case .external(let position) = location.place { slots[position].append(next) }
      next += 1
    }
    for call in plan.calls {
      let inputs = next
      for location in call.inputs { add(location) }
      let outputs = next
      for location in call.outputs { add(location) }
      calls.append(
        PreparedCall(
          step: call.step,
          memory: StepMemory(
            inputs: UnsafePointer(inputs), outputs: UnsafePointer(outputs),
            scratch: arena + call.scratchOffset, state: try call.step.makeState()),
          transientWeights: call.transientWeights))
    }
  }
}
