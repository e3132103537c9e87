import CKernels
import Glibc

/// The monotonic clock, in nanoseconds, and what goes on meanwhile.
enum MonotonicClock {
  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The time that processors have worked for the threads of a team of this size, in nanoseconds.
  static func work(threads: Int) -> UInt64 { ck_team_work(Int32(clamping: threads)) }

  /// How often a thread of this process had to leave its processor to others.
  static func interruptions() -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return usage.ru_nivcsw
  }
}
