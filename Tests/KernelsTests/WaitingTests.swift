import CKernels
import COneDNN
import Foundation
import Platform
import Synchronization
import Testing

extension KernelTests {
  /// Tests how long the threads of a team spin before they sleep.
  @Suite("Thread waiting", .serialized)
  struct WaitingTests {
    private static let isParallel: Bool = adnn_threads() > 1

    /// Runs a team of two threads: the calling thread and a worker. Returns the clock that measures the worker's
    /// processor time.
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
          // Each of the two parts waits until the other has begun. So two threads take part.
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

    @Test(
      "A thread with a short spin time sleeps within half a millisecond", .enabled(if: isParallel))
    func brief() throws {
      ck_limit_spinning(1)
      defer { ck_limit_spinning(0) }
      #expect(ck_limits_spinning() == 1)
      // Waits until the library has started its sleeping team. While this team exists, threads spin only briefly.
      usleep(50_000)
      let clock = try Self.workersClock()
      let before = Self.nanoseconds(clock)
      usleep(20_000)
      let spent = Self.nanoseconds(clock) - before
      #expect(spent < 500_000, "the worker took \(spent) ns of processor time while it had no work")
    }

    /// Returns the list of processors on which the calling thread may run.
    private static func allowedProcessors() -> String? {
      let text = try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
      return text?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        .map(String.init)
    }

    @Test(
      "After a pause, a team meets, and its threads may run where they could before",
      .enabled(if: isParallel))
    func places() throws {
      let before = try #require(Self.allowedProcessors())
      for _ in 0..<10 {
        usleep(30_000)
        let found = Locked<[String?]>([])
        withExtendedLifetime(found) {
          ck_parallel(
            { context, _ in
              guard let context else { return }
              let found = Unmanaged<Locked<[String?]>>.fromOpaque(context).takeUnretainedValue()
              let allowed: String? = WaitingTests.allowedProcessors()
              found.withLock { $0.append(allowed) }
            }, Unmanaged.passUnretained(found).toOpaque(), 2)
        }
        #expect(found.withLock(\.self) == [before, before])
      }
      #expect(Self.allowedProcessors() == before)
    }

    @Test("The default spin time is restored")
    func restored() {
      ck_limit_spinning(1)
      ck_limit_spinning(0)
      #expect(ck_limits_spinning() == 0)
    }
  }
}
