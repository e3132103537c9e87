import CKernels
import COneDNN
import Foundation
import Platform
import Testing

extension KernelTests {
  /// Tests how the threads of a team share work.
  @Suite("Work sharing", .serialized)
  struct ParallelTests {
    /// Records which thread did each part. Threads are numbered in the order of their arrival.
    private final class Parts: Sendable {
      private let state: Locked<(threads: [pthread_t], doneBy: [[Int]])>
      /// The parts that the test makes slow.
      private let slow: Range<Int64>

      init(count: Int, slow: Range<Int64> = 0..<0) {
        state = Locked(([], Array(repeating: [], count: count)))
        self.slow = slow
      }

      func run(threads: Int32) -> [[Int]] {
        let before = adnn_threads()
        adnn_set_threads(threads)
        defer { adnn_set_threads(before) }
        let count = state.withLock { $0.doneBy.count }
        ck_parallel(
          { context, part in
            guard let context else { return }
            Unmanaged<Parts>.fromOpaque(context).takeUnretainedValue().note(part)
          }, Unmanaged.passUnretained(self).toOpaque(), Int64(count))
        return withExtendedLifetime(self) { state.withLock { $0.doneBy } }
      }

      private func note(_ part: Int64) {
        if slow.contains(part) { usleep(2000) }
        let own = pthread_self()
        state.withLock { state in
          let number = state.threads.firstIndex { $0 == own } ?? state.threads.count
          if number == state.threads.count { state.threads.append(own) }
          state.doneBy[Int(part)].append(number)
        }
      }
    }

    @Test(
      "Every part is done once", arguments: [0, 1, 2, 3, 7, 64, 1000], [1, 2, 3, 8, 300] as [Int32])
    func once(count: Int, threads: Int32) {
      let doneBy = Parts(count: count).run(threads: threads)
      #expect(doneBy.allSatisfy { $0.count == 1 })
    }

    @Test(
      "Threads that have finished their own parts take over parts of slower threads",
      arguments: [2, 3] as [Int32])
    func help(threads: Int32) {
      let first = Int64(30 / threads)
      let doneBy = Parts(count: 30, slow: 0..<first).run(threads: threads)
      #expect(Set(doneBy[0..<Int(first)].flatMap { $0 }).count > 1)
    }

    @Test("A thread's parts are contiguous")
    func sideBySide() {
      // All parts take equally long. So the threads finish at about the same time, and rarely take over each other's
      // parts.
      let doneBy = Parts(count: 40, slow: 0..<40).run(threads: 2).flatMap { $0 }
      let changes = zip(doneBy, doneBy.dropFirst()).count { $0 != $1 }
      #expect(changes <= 3, "\(doneBy)")
    }
  }
}
