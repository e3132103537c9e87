import Glibc

/// The processor time of the calling thread, which does not grow while others use the machine.
package enum ThreadClock {
  /// Whether times say anything about the program; not in one that a sanitizer watches, which costs loops more
  /// than kernels (Scripts/sanitize.sh).
  package static let isTelling: Bool = getenv("ATELIER_SANITIZER") == nil

  /// The time so far, in nanoseconds.
  package static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// How often the calling thread had to leave its processor to others so far: what they do then to the caches
  /// costs it time of its own.
  package static func interruptions() -> Int {
    var usage = rusage()
    getrusage(1 /* RUSAGE_THREAD */, &usage)
    return usage.ru_nivcsw
  }

  /// The time that work on this thread takes.
  package static func measure(_ work: () throws -> Void) rethrows -> Duration {
    let start: Int = now()
    try work()
    return .nanoseconds(now() - start)
  }
}
