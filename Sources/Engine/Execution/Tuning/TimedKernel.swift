import CKernels

/// A kernel whose runs are timed. Its inputs hold zeros.
final class TimedKernel {
  let name: String
  /// The shortest time of all runs so far, in nanoseconds.
  private(set) var best: UInt64 = .max
  /// The shortest processor time of all runs so far, in nanoseconds per thread. If nothing else uses the processors,
  /// the processor time equals the run's time. If other programs use them, the run's time becomes longer, but the
  /// processor time hardly changes.
  private(set) var leastWork: UInt64 = .max
  /// Whether the kernel has not run yet.
  var isUntimed: Bool { best == .max }
  /// Whether the shortest time belongs to a run that hardly waited for processors.
  var isUndisturbed: Bool { best <= leastWork + leastWork / 4 }
  private let kernel: Kernel
  private let state: AnyObject?
  private let memory: AlignedBuffer
  private let inputs: [UnsafeMutableRawPointer]
  private let outputs: [UnsafeMutableRawPointer]
  private let scratch: UnsafeMutableRawPointer
  /// Whether the weights are evicted from the caches before every run.
  private let isCold: Bool

  /// Returns the size in bytes of the memory that kernels share. The memory has a part for inputs, a part for outputs
  /// and a part for scratch memory. Each part is as large as the largest kernel needs.
  static func byteCount(_ kernels: [Kernel]) -> Int {
    let parts: [[Int]] = kernels.map {
      [inputByteCount($0), outputByteCount($0), $0.scratchByteCount]
    }
    return (0..<3).reduce(0) { sum, part in
      let (next, overflows) = sum.addingReportingOverflow(parts.map { $0[part] }.max() ?? 0)
      return overflows ? Int.max : next
    }
  }

  /// Returns the size in bytes of the first part of the memory. This part can hold the inputs of any of these kernels.
  static func inputByteCount(_ kernels: [Kernel]) -> Int { kernels.map(inputByteCount).max() ?? 0 }

  /// Creates a kernel in memory that other kernels use, too. The inputs of all kernels are in the first part of the
  /// memory, so that no kernel reads the results of another kernel. This part must hold zeros.
  init(
    _ name: String, _ kernel: Kernel, among all: [Kernel], in memory: AlignedBuffer, isCold: Bool
  ) throws {
    for weight in kernel.weights { try weight.prepare() }
    self.name = name
    self.kernel = kernel
    self.memory = memory
    self.isCold = isCold
    state = try kernel.step.makeState()
    // Safe: byteCount(_:) of all kernels counts these three parts. Each part is as large as the largest kernel needs.
    var next: UnsafeMutableRawPointer = memory.pointer
    inputs = kernel.inputs.map { form in
      defer { next += Self.cacheLineBytes(form?.byteCount ?? 0) }
      return next
    }
    let results = memory.pointer + Self.inputByteCount(all)
    next = results
    var outputs: [UnsafeMutableRawPointer] = kernel.outputs.map { form in
      defer { next += Self.cacheLineBytes(form.byteCount) }
      return next
    }
    // As in a plan, the kernel works in place if the sizes agree.
    if let taken = kernel.inPlaceInput, let form = kernel.inputs[taken],
      form.byteCount == kernel.outputs[0].byteCount
    {
      outputs[0] = inputs[taken]
    }
    self.outputs = outputs
    scratch = results + (all.map(Self.outputByteCount).max() ?? 0)
  }

  /// Runs the kernel once.
  ///
  /// - Returns: The time in nanoseconds.
  @discardableResult
  func run(threads: Int) throws -> UInt64 {
    if isCold {
      for weight in kernel.weights { ck_evict(weight.pointer, weight.byteCount) }
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
        var unused: UnsafeMutableRawPointer = scratch
        return try withUnsafePointer(to: &unused) { placeholder in
          // Safe: the pointers are into memory that this object holds.
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
    kernel.inputs.reduce(0) { $0 + cacheLineBytes($1?.byteCount ?? 0) }
  }

  private static func outputByteCount(_ kernel: Kernel) -> Int {
    kernel.outputs.reduce(0) { $0 + cacheLineBytes($1.byteCount) }
  }

  /// Rounds the size of a tensor up to cache lines of 64 bytes, and adds a line that separates it from the next tensor.
  private static func cacheLineBytes(_ byteCount: Int) -> Int { (byteCount + 127) & ~63 }
}
