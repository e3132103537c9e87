import CKernels
import Glibc

/// The monotonic clock in nanoseconds, and the processor time of threads.
enum MonotonicClock {
  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Returns the processor time, in nanoseconds, that all threads of the calling thread's team have used so far.
  ///
  /// - Parameter threads: The size of the team.
  static func work(threads: Int) -> UInt64 { ck_team_cpu_time(Int32(clamping: threads)) }

  /// Returns how often threads of this process have been preempted since the process started.
  static func interruptions() -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return usage.ru_nivcsw
  }
}
