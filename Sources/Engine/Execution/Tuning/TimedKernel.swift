import CKernels

/// A kernel that is run on zeros to be timed.
final class TimedKernel {
  let name: String
  /// The least time of all runs so far, in nanoseconds.
  private(set) var best: UInt64 = .max
  /// The least processor time of all runs so far, in nanoseconds of each thread: as long as the run where
  /// nobody else wants the processors, and hardly more where others do.
  private(set) var leastWork: UInt64 = .max
  /// Whether it has not run yet.
  var isUntimed: Bool { best == .max }
  /// Whether the least time is that of a run that hardly waited for processors.
  var isUndisturbed: Bool { best <= leastWork + leastWork / 4 }
  private let kernel: Kernel
  private let state: AnyObject?
  private let memory: AlignedBuffer
  private let inputs: [UnsafeMutableRawPointer]
  private let outputs: [UnsafeMutableRawPointer]
  private let scratch: UnsafeMutableRawPointer
  /// Whether the weights are read from memory in every run.
  private let isCold: Bool

  /// The memory that kernels need, each in its turn, in bytes: inputs, outputs, scratch.
  static func byteCount(_ kernels: [Kernel]) -> Int {
    let parts: [[Int]] = kernels.map {
      [inputByteCount($0), outputByteCount($0), $0.scratchByteCount]
    }
    return (0..<3).reduce(0) { sum, part in
      let (next, overflows) = sum.addingReportingOverflow(parts.map { $0[part] }.max() ?? 0)
      return overflows ? Int.max : next
    }
  }

  /// The first of these parts: what the inputs of any of these kernels take, in bytes.
  static func inputByteCount(_ kernels: [Kernel]) -> Int { kernels.map(inputByteCount).max() ?? 0 }

  /// A kernel in memory that others use in their turn and that holds zeros where inputs lie: those of all
  /// are in the same first part, so that nobody reads another's results.
  init(
    _ name: String, _ kernel: Kernel, among all: [Kernel], in memory: AlignedBuffer, isCold: Bool
  ) throws {
    for weight in kernel.weights { try weight.prepare() }
    self.name = name
    self.kernel = kernel
    self.memory = memory
    self.isCold = isCold
    state = try kernel.step.makeState()
    // Safe: byteCount(_:) of all kernels counts these three parts, each of the largest kernel's size.
    var next: UnsafeMutableRawPointer = memory.pointer
    inputs = kernel.inputs.map { form in
      defer { next += Self.lines(form?.byteCount ?? 0) }
      return next
    }
    let results = memory.pointer + Self.inputByteCount(all)
    next = results
    var outputs: [UnsafeMutableRawPointer] = kernel.outputs.map { form in
      defer { next += Self.lines(form.byteCount) }
      return next
    }
    // A plan lets it work in place where the sizes agree and nobody reads the input later.
    if let taken = kernel.inPlaceInput, let form = kernel.inputs[taken],
      form.byteCount == kernel.outputs[0].byteCount
    {
      outputs[0] = inputs[taken]
    }
    self.outputs = outputs
    scratch = results + (all.map(Self.outputByteCount).max() ?? 0)
  }

  /// Runs once.
  ///
  /// - Returns: the time, in nanoseconds.
  @discardableResult
  func run(threads: Int) throws -> UInt64 {
    if isCold {
      for weight in kernel.weights { ck_forget(weight.pointer, weight.byteCount) }
    }
    let before: UInt64 = MonotonicClock.work(threads: threads)
    let time: UInt64 = try run()
    best = min(best, time)
    let work: UInt64 = MonotonicClock.work(threads: threads) - before
    leastWork = min(leastWork, max(1, work / UInt64(max(1, threads))))
    return time
  }

  private func run() throws -> UInt64 {
    try inputs.withUnsafeBufferPointer { inputs in
      try outputs.withUnsafeBufferPointer { outputs in
        var nobody: UnsafeMutableRawPointer = scratch
        return try withUnsafePointer(to: &nobody) { placeholder in
          // Safe: the pointers lie in memory that this object holds.
          let call = StepMemory(
            inputs: inputs.baseAddress ?? placeholder, outputs: outputs.baseAddress ?? placeholder,
            scratch: scratch, state: state)
          let start: UInt64 = MonotonicClock.now()
          try kernel.step.run(call)
          return max(1, MonotonicClock.now() - start)
        }
      }
    }
  }

  private static func inputByteCount(_ kernel: Kernel) -> Int {
    kernel.inputs.reduce(0) { $0 + lines($1?.byteCount ?? 0) }
  }

  private static func outputByteCount(_ kernel: Kernel) -> Int {
    kernel.outputs.reduce(0) { $0 + lines($1.byteCount) }
  }

  /// Whole cache lines, with one more between neighbours.
  private static func lines(_ byteCount: Int) -> Int { (byteCount + 127) & ~63 }
}
