import CKernels
import COneDNN
import Glibc

/// The memory of a planned run's tensors, and the handles of its steps. After it is made, running
/// allocates nothing.
///
/// Not for two threads at once.
final class RunSession {
  private struct PreparedCall {
    let step: Step
    let memory: StepMemory
    /// Packed for this call, and given back after it.
    let passingWeights: [PackedWeight]

    /// Runs the body while the weights that pass are packed.
    func withWeights(_ body: () throws -> Void) throws {
      guard !passingWeights.isEmpty else { return try body() }
      var count = 0
      defer { for weight in passingWeights.prefix(count) { weight.release() } }
      for weight in passingWeights {
        try weight.hold()
        count += 1
      }
      try body()
    }
  }

  /// What runs.
  let plan: PlannedRun
  private let arena: UnsafeMutableRawPointer
  private let arenaByteCount: Int
  private let pointers: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private var calls: ContiguousArray<PreparedCall> = []
  /// The memory that was given for this run, and where its addresses are kept.
  private var given: [UnsafeMutableRawPointer?]
  /// Memory of its own for what nobody has given, by position.
  private var own: [Int: AlignedBuffer] = [:]
  /// How calls whose threads meet often run while other programs want the processors, by their positions.
  private var choices: [Int: TeamChoice] = [:]
  private var places: [[UnsafeMutablePointer<UnsafeMutableRawPointer>]]

  /// Takes the plan's memory from the system. Throws `outOfMemory` when there is none.
  init(_ plan: PlannedRun) throws {
    // What a network has planned as a whole is packed already; what is planned for a region or by a trainer is
    // packed by its first session.
    try plan.prepareWeights()
    self.plan = plan
    given = [UnsafeMutableRawPointer?](repeating: nil, count: plan.externals.count)
    places = [[UnsafeMutablePointer<UnsafeMutableRawPointer>]](
      repeating: [], count: plan.externals.count)
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
    if plan.threads > 1 {
      for (position, call) in plan.calls.enumerated() where call.step.meetsOften {
        choices[position] = TeamChoice()
      }
    }
  }

  deinit {
    calls.removeAll()
    pointers.deallocate()
    munmap(arena, arenaByteCount)
  }

  /// Gives the memory of an input or output, by its position in ``PlannedRun/externals``.
  func give(_ memory: UnsafeMutableRawPointer, at position: Int) {
    guard given[position] != memory else { return }
    given[position] = memory
    for place in places[position] { place.pointee = memory }
  }

  /// Takes memory of its own, zero at first, for what nobody has given.
  func completeGiven() throws {
    for position in given.indices where given[position] == nil {
      let buffer = try own[position] ?? AlignedBuffer(byteCount: plan.externals[position])
      if own[position] == nil { memset(buffer.pointer, 0, buffer.byteCount) }
      own[position] = buffer
      give(buffer.pointer, at: position)
    }
  }

  /// Forgets what was given: it belongs to the last caller, as does what lies in memory of the session's own.
  func forgetGiven() {
    for position in given.indices where given[position] != nil {
      if let buffer = own[position], buffer.pointer == given[position] {
        memset(buffer.pointer, 0, buffer.byteCount)
      }
      given[position] = nil
    }
  }

  /// Computes the outputs from the inputs that lie in memory, with a team of threads that leaves other runs' cores to
  /// them.
  ///
  /// - Parameter reports: whether the limits are told how far the run is.
  /// - Throws: what a layer throws, with its name; `cancelled` or `timedOut` when the limits end it.
  func run(_ limits: RunLimits, reports: Bool = false) throws {
    let isLimited: Bool = !limits.isNone
    let isBrief: Bool = !choices.isEmpty && ck_waits_briefly() != 0
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

  /// Runs a call with the team or without it, and notes what that took.
  private func runAsChosen(_ position: Int, team: Int) throws {
    let isAlone: Bool = choices[position]?.isAlone ?? false
    let start = MonotonicClock.now()
    try TeamSize.with(isAlone ? 1 : team) {
      try calls[position].step.run(calls[position].memory)
    }
    choices[position]?.note(MonotonicClock.now() - start)
  }

  /// Computes like ``run(_:)`` and adds the nanoseconds of each call to `times`, one entry a call.
  func run(adding times: inout [UInt64]) throws {
    precondition(times.count == calls.count, "one entry a call")
    for (position, call) in calls.enumerated() {
      let start = MonotonicClock.now()
      try call.withWeights { try call.step.run(call.memory) }
      times[position] += MonotonicClock.now() - start
    }
  }

  /// The memory of a tensor of the plan; valid as long as the session, or as what was given.
  func pointer(_ location: Plan.Location) -> UnsafeMutableRawPointer {
    switch location.place {
    // Safe: the planner keeps every tensor within the arena.
    case .arena(let offset): return arena + offset
    case .constant(let index): return plan.constants[index].pointer
    case .external(let position): return given[position] ?? arena
    }
  }

  private func prepareCalls() throws {
    var next = pointers
    func add(_ location: Plan.Location) {
      next.initialize(to: pointer(location))
      if case .external(let position) = location.place { places[position].append(next) }
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
          passingWeights: call.passingWeights))
    }
  }
}
