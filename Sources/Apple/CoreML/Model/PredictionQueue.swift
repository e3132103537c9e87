import Foundation
import Platform

/// Runs asynchronous predictions in the order of their calls, on a limited number of threads.
///
/// Each thread of the queue has its own team of OpenMP threads, so the number of threads must not depend on the number
/// of callers. A prediction starts only if all running predictions together, including this one, use at most two
/// threads per core. More than one thread per core is useful, because an additional prediction can use cores that the
/// others leave idle.
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

  /// Makes a queue.
  ///
  /// - Parameter capacity: The maximum number of threads that all running predictions together may use.
  init(capacity: Int) { self.capacity = capacity }

  /// The number of worker threads.
  var workerCount: Int { state.withLock { $0.workers } }

  /// Runs work on one of the queue's threads. If the task is cancelled before the work starts, the work never starts.
  /// The work gets a closure that returns whether the task was cancelled.
  ///
  /// - Parameter threads: The number of threads that the work uses.
  /// - Throws: `MLModelError.predictionCancelled`, or the error of the work.
  func result<Value>(
    threads: Int,
    of work:
      @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws ->
      SendableBox<Value>
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

  /// The connection between a caller's task and the task's job in the queue.
  private final class Ticket: Sendable {
    private let state: Locked<(number: UInt64?, isCancelled: Bool)> = Locked((nil, false))

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Sets the number of the job. Returns false if the ticket is already cancelled.
    func take(_ number: UInt64) -> Bool {
      state.withLock { state in
        state.number = number
        return !state.isCancelled
      }
    }

    /// Marks the ticket as cancelled. Returns the number of the task's job, or nil before the job has a number.
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
    let isQueued: Bool = state.withLock { state in
      let number = state.nextNumber
      state.nextNumber += 1
      guard ticket.take(number) else { return false }
      state.waiting.append(
        Job(number: number, threads: min(max(1, threads), capacity), work: work, drop: drop))
      return true
    }
    guard isQueued else { return drop() }
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
    // The next waiting job may need fewer threads than the cancelled job, and may therefore start now.
    begin()
  }

  /// Wakes or creates a worker if the first waiting job may start.
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
    // The stack is as large as the main thread's, 8 MiB, because custom layers run user code on this thread.
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
      // There may be enough threads to run the next waiting job at the same time.
      begin()
      job.work()
      state.withLock { $0.threadsTaken -= job.threads }
    }
  }
}
