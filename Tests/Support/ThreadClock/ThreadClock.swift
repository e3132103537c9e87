import Glibc

/// The processor time of the calling thread. It excludes the time in which other programs use the processor.
package enum ThreadClock {
  /// Whether the measured times are meaningful. They are not meaningful under a sanitizer (Scripts/sanitize.sh): a
  /// sanitizer slows the engine's code, which runs the loops of a model, more than the kernels.
  package static let isMeaningful: Bool = getenv("ATELIER_SANITIZER") == nil

  /// Returns the processor time of the calling thread so far, in nanoseconds.
  package static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Measures the processor time of work on this thread.
  package static func measure(_ work: () throws -> Void) rethrows -> Duration {
    let start: Int = now()
    try work()
    return .nanoseconds(now() - start)
  }
}
