import Dispatch
import Glibc
import Platform

/// Gives a state to one caller at a time, in the order in which they ask. A thread waits by sleeping, a task by being
/// suspended, so that predictions that wait occupy no thread.
final class StateLock: Sendable {
  private struct Waiting {
    /// The task that waits; nil for a thread.
    let task: ObjectIdentifier?
    let wake: @Sendable () -> Void
    let drop: @Sendable () -> Void
  }

  private struct State {
    var isTaken = false
    /// The thread that computes with the state, and how often it has taken it.
    var owner: pthread_t?
    var depth = 0
    var waiting: [Waiting] = []
  }

  private enum Answer {
    case taken, waits, cancelled
  }

  /// What a task that waits is known by. `@unchecked Sendable`: touched under the lock only.
  private final class Ticket: @unchecked Sendable {
    var isCancelled = false
  }

  private let state = Locked(State())

  /// The number of callers that wait, for tests.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Calls the closure while nobody else has the state. A thread that has it already goes on.
  func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    takeOnThread()
    defer { giveBack() }
    return try body()
  }

  /// Calls the closure on a thread that has the state because ``take()`` took it for a task.
  func owned<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { ($0.owner, $0.depth) = (pthread_self(), 1) }
    defer { state.withLock { ($0.owner, $0.depth) = (nil, 0) } }
    return try body()
  }

  private func takeOnThread() {
    let thread: pthread_t = pthread_self()
    let isTaken: Bool = state.withLock { state in
      guard !state.isTaken || state.owner == thread else { return false }
      (state.isTaken, state.owner) = (true, thread)
      state.depth += 1
      return true
    }
    if isTaken { return }
    let turn = DispatchSemaphore(value: 0)
    let waits: Bool = state.withLock { state in
      guard state.isTaken else {
        state.isTaken = true
        return false
      }
      state.waiting.append(Waiting(task: nil, wake: { turn.signal() }, drop: {}))
      return true
    }
    if waits { turn.wait() }
    state.withLock { ($0.owner, $0.depth) = (thread, 1) }
  }

  /// Takes the state for a task; ``giveBack()`` gives it back.
  ///
  /// - Throws: ``MLModelError`` with the code `predictionCancelled` where the task is cancelled before.
  func take() async throws {
    let ticket = Ticket()
    try await withTaskCancellationHandler {
      try await Delivery<Void>().value { deliver in
        let wake: @Sendable () -> Void = { deliver(.success(HandedOver(()))) }
        let drop: @Sendable () -> Void = {
          deliver(
            .failure(
              MLModelError(
                .predictionCancelled, "The prediction's task was cancelled before it began.")))
        }
        let answer: Answer = state.withLock { state in
          if ticket.isCancelled { return .cancelled }
          if state.isTaken {
            state.waiting.append(Waiting(task: ObjectIdentifier(ticket), wake: wake, drop: drop))
            return .waits
          }
          state.isTaken = true
          return .taken
        }
        switch answer {
        case .taken: wake()
        case .waits: break
        case .cancelled: drop()
        }
      }
    } onCancel: {
      let dropped: Waiting? = state.withLock { state in
        ticket.isCancelled = true
        let place: Int? = state.waiting.firstIndex { $0.task == ObjectIdentifier(ticket) }
        return place.map { state.waiting.remove(at: $0) }
      }
      dropped?.drop()
    }
  }

  /// Gives the state to whoever has waited for longest.
  func giveBack() {
    let next: Waiting? = state.withLock { state in
      if state.depth > 1 {
        state.depth -= 1
        return nil
      }
      (state.owner, state.depth) = (nil, 0)
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.wake()
  }
}
