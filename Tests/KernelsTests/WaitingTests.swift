import CKernels
import COneDNN
import Foundation
import Platform
import Synchronization
import Testing

extension KernelTests {
  /// How long the threads of the team wait awake.
  @Suite("Waiting", .serialized)
  struct WaitingTests {
    private static let isParallel: Bool = adnn_threads() > 1

    /// A clock of the processor time that another thread of the team has taken.
    private static func workersClock() throws -> clockid_t {
      final class Meeting: Sendable {
        let here = Atomic<Int>(0)
        let worker = Locked<clockid_t?>(nil)
        let caller = pthread_self()
      }
      let meeting = Meeting()
      let context = Unmanaged.passUnretained(meeting).toOpaque()
      ck_parallel(
        { context, _ in
          guard let context else { return }
          let meeting = Unmanaged<Meeting>.fromOpaque(context).takeUnretainedValue()
          if pthread_self() != meeting.caller {
            var clock = clockid_t()
            pthread_getcpuclockid(pthread_self(), &clock)
            meeting.worker.withLock { $0 = clock }
          }
          // Both parts wait for each other, so that two threads take part.
          meeting.here.add(1, ordering: .relaxed)
          while meeting.here.load(ordering: .relaxed) < 2 { sched_yield() }
        }, context, 2)
      return try withExtendedLifetime(meeting) {
        try #require(meeting.worker.withLock { $0 })
      }
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int {
      var time = timespec()
      clock_gettime(clock, &time)
      return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    @Test("A thread that waits briefly sleeps within half a millisecond", .enabled(if: isParallel))
    func brief() throws {
      ck_wait_briefly(1)
      defer { ck_wait_briefly(0) }
      #expect(ck_waits_briefly() == 1)
      // The team that makes waiting brief opens in a thread of its own.
      usleep(50_000)
      let clock = try Self.workersClock()
      let before = Self.nanoseconds(clock)
      usleep(20_000)
      let spent = Self.nanoseconds(clock) - before
      #expect(spent < 500_000, "the worker took \(spent) ns of processor time while it had no work")
    }

    @Test("Waiting is left to the machine again")
    func restored() {
      ck_wait_briefly(1)
      ck_wait_briefly(0)
      #expect(ck_waits_briefly() == 0)
    }
  }
}
