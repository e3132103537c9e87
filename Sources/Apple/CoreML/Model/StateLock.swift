import Dispatch
import Glibc
import Platform

/// A recursive lock that protects a state. Callers acquire the lock in the order of their calls. A task that waits for
/// the lock is suspended, so it occupies no thread.
final class StateLock: Sendable {
  private struct Waiting {
    /// The task that waits; nil if a thread waits.
    let task: ObjectIdentifier?
    /// Resumes the caller after the lock has passed to it.
    let wake: @Sendable () -> Void
    /// Resumes a cancelled task with an error.
    let drop: @Sendable () -> Void
  }

  private struct State {
    /// Whether a thread or a task owns the lock.
    var isTaken = false
    /// The thread that owns the lock. Nil while a task owns the lock and does not run ``owned(_:)``.
    var owner: pthread_t?
    /// How often the owner has acquired the lock.
    var depth = 0
    var waiting: [Waiting] = []
  }

  private enum Answer {
    case taken, waits, cancelled
  }

  /// Identifies a waiting task. `@unchecked Sendable`: the property is only used under the lock.
  private final class Ticket: @unchecked Sendable {
    var isCancelled = false
  }

  private let state = Locked(State())

  /// The number of callers that wait. Tests read it.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Acquires the lock, calls the closure, and releases the lock. The closure may call this method again.
  func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    acquireOnThread()
    defer { release() }
    return try body()
  }

  /// Calls the closure on this thread, for a task that acquired the lock with ``acquire()``. Meanwhile, the thread owns
  /// the lock.
  func owned<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { ($0.owner, $0.depth) = (pthread_self(), 1) }
    defer { state.withLock { ($0.owner, $0.depth) = (nil, 0) } }
    return try body()
  }

  private func acquireOnThread() {
    let thread: pthread_t = pthread_self()
    let isTaken: Bool = state.withLock { state in
      guard !state.isTaken || state.owner == thread else { return false }
      (state.isTaken, state.owner) = (true, thread)
      state.depth += 1
      return true
    }
    if isTaken { return }
    let released = DispatchSemaphore(value: 0)
    let waits: Bool = state.withLock { state in
      guard state.isTaken else {
        state.isTaken = true
        return false
      }
      state.waiting.append(Waiting(task: nil, wake: { released.signal() }, drop: {}))
      return true
    }
    if waits { released.wait() }
    state.withLock { ($0.owner, $0.depth) = (thread, 1) }
  }

  /// Acquires the lock for a task. Call ``release()`` to release it.
  ///
  /// - Throws: ``MLModelError`` with the code `predictionCancelled` if the task is cancelled before it owns the lock.
  func acquire() async throws {
    let ticket = Ticket()
    try await withTaskCancellationHandler {
      try await Delivery<Void>().value { deliver in
        let wake: @Sendable () -> Void = { deliver(.success(SendableBox(()))) }
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
        let index: Int? = state.waiting.firstIndex { $0.task == ObjectIdentifier(ticket) }
        return index.map { state.waiting.remove(at: $0) }
      }
      dropped?.drop()
    }
  }

  /// Releases the lock, or passes it to the caller that has waited longest.
  func release() {
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
