import Foundation
import Platform

/// Runs asynchronous predictions in their order on a bounded number of threads.
///
/// A thread that computes keeps a team of OpenMP threads for itself, so that threads must not grow with
/// the number of callers. Predictions begin while the threads that they take together are at most two a
/// core: one more than the machine can run fills the gaps in the others' work.
final class PredictionQueue: Sendable {
  /// The queue of this process.
  static let shared = PredictionQueue(
    capacity: 2 * max(1, ProcessInfo.processInfo.activeProcessorCount))

  private struct Job {
    let number: UInt64
    let threads: Int
    let work: @Sendable () -> Void
    let drop: @Sendable () -> Void
  }

  private struct State {
    var waiting: [Job] = []
    var nextNumber: UInt64 = 0
    var threadsTaken = 0
    var workers = 0
    var sleeping = 0
  }

  private let capacity: Int
  private let state: Locked<State> = Locked(State())
  private let wake = DispatchSemaphore(value: 0)

  /// A queue for predictions of so many threads in all.
  init(capacity: Int) { self.capacity = capacity }

  /// The number of threads of the queue's own that exist.
  var workerCount: Int { state.withLock { $0.workers } }

  /// Computes on one of the queue's threads. A cancelled task's work never begins when it still waits;
  /// work that has begun is told through its argument.
  ///
  /// - Parameter threads: the threads that the work takes.
  /// - Throws: `MLModelError.predictionCancelled`, or what the work throws.
  func result<Value>(
    threads: Int,
    of work:
      @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws ->
      HandedOver<Value>
  ) async throws -> Value {
    let ticket = Ticket()
    return try await withTaskCancellationHandler {
      try await Delivery<Value>().value { deliver in
        enqueue(
          ticket, threads: threads,
          work: { deliver(Result { try work { ticket.isCancelled } }) },
          drop: {
            deliver(
              .failure(
                MLModelError(
                  .predictionCancelled, "The prediction's task was cancelled before it began.")))
          })
      }
    } onCancel: {
      cancel(ticket)
    }
  }

  /// What one caller holds of its place in the queue.
  private final class Ticket: Sendable {
    private let state: Locked<(number: UInt64?, isCancelled: Bool)> = Locked((nil, false))

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Gives the ticket its number; false when it was cancelled before.
    func take(_ number: UInt64) -> Bool {
      state.withLock { state in
        state.number = number
        return !state.isCancelled
      }
    }

    /// Marks the ticket and gives its number, if it has one.
    func cancel() -> UInt64? {
      state.withLock { state in
        state.isCancelled = true
        return state.number
      }
    }
  }

  private func enqueue(
    _ ticket: Ticket, threads: Int, work: @escaping @Sendable () -> Void,
    drop: @escaping @Sendable () -> Void
  ) {
    let isWelcome: Bool = state.withLock { state in
      let number = state.nextNumber
      state.nextNumber += 1
      guard ticket.take(number) else { return false }
      state.waiting.append(
        Job(number: number, threads: min(max(1, threads), capacity), work: work, drop: drop))
      return true
    }
    guard isWelcome else { return drop() }
    begin()
  }

  private func cancel(_ ticket: Ticket) {
    guard let number = ticket.cancel() else { return }
    let job: Job? = state.withLock { state in
      guard let position = state.waiting.firstIndex(where: { $0.number == number }) else {
        return nil
      }
      return state.waiting.remove(at: position)
    }
    guard let job else { return }
    job.drop()
    // What waited after it may fit.
    begin()
  }

  /// Wakes or makes a worker when the first job that waits may begin.
  private func begin() {
    let isNew: Bool? = state.withLock { state in
      guard let first = state.waiting.first, state.threadsTaken + first.threads <= capacity else {
        return nil
      }
      if state.sleeping > 0 {
        state.sleeping -= 1
        return false
      }
      guard state.workers < capacity else { return nil }
      state.workers += 1
      return true
    }
    guard let isNew else { return }
    guard isNew else {
      wake.signal()
      return
    }
    let thread = Thread { [self] in serve() }
    thread.name = "Atelier.CoreML"
    // As the main thread has: custom layers are the users' code.
    thread.stackSize = 8 << 20
    thread.start()
  }

  private func serve() {
    while true {
      let job: Job? = state.withLock { state in
        guard let first = state.waiting.first, state.threadsTaken + first.threads <= capacity else {
          state.sleeping += 1
          return nil
        }
        state.threadsTaken += first.threads
        return state.waiting.removeFirst()
      }
      guard let job else {
        wake.wait()
        continue
      }
      // Others may fit beside this one.
      begin()
      job.work()
      state.withLock { $0.threadsTaken -= job.threads }
    }
  }
}
