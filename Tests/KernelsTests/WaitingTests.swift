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

    /// Returns the number of the processor on which the calling thread runs.
    private static func processor() -> String? {
      let text = try? String(contentsOfFile: "/proc/thread-self/stat", encoding: .utf8)
      // Field 39 of proc(5). The second one, in parentheses, may contain spaces.
      guard let fields = text?.split(separator: ")").last?.split(separator: " "), fields.count > 36
      else { return nil }
      return String(fields[36])
    }

    /// Returns the number of threads of the whole machine that run or wait for a processor.
    private static func runningThreads() -> Int {
      let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
      let counts = text?.split(separator: " ").dropFirst(3).first?.split(separator: "/")
      return counts?.first.flatMap { Int($0) } ?? 0
    }

    @Test(
      "After a pause, the threads of a team run on processors of their own",
      .enabled(if: isParallel))
    func places() throws {
      final class Places: Sendable {
        let here = Atomic<Int>(0)
        let processors = Locked<Set<String>>([])
      }
      /// Returns how often of 20 times both threads were on one processor. Nil if other programs needed the processors.
      func share() -> Int? {
        var (shared, crowded): (Int, Int) = (0, 0)
        for _ in 0..<20 {
          usleep(30_000)
          // A team that sleeps early does not meet.
          if Self.runningThreads() > 1 || ck_limits_spinning() != 0 { crowded += 1 }
          let places = Places()
          ck_parallel(
            { context, _ in
              guard let context else { return }
              let places = Unmanaged<Places>.fromOpaque(context).takeUnretainedValue()
              places.here.add(1, ordering: .relaxed)
              while places.here.load(ordering: .relaxed) < 2 { sched_yield() }
              if let processor = WaitingTests.processor() {
                places.processors.withLock { _ = $0.insert(processor) }
              }
            }, Unmanaged.passUnretained(places).toOpaque(), 2)
          if withExtendedLifetime(places, { places.processors.withLock(\.count) }) < 2 {
            shared += 1
          }
        }
        return crowded > 5 ? nil : shared
      }
      let judged: [Int] = (0..<5).compactMap { _ in share() }
      // On a machine that is never idle, nothing is judged.
      guard let least = judged.min() else { return }
      #expect(least <= 5, "of 20 times, both threads were on one processor \(judged) times")
    }

    @Test("The default spin time is restored")
    func restored() {
      ck_limit_spinning(1)
      ck_limit_spinning(0)
      #expect(ck_limits_spinning() == 0)
    }
  }
}
