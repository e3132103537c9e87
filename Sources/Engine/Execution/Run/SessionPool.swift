import Glibc
import Platform

/// The idle sessions of one plan, and a limit on their number.
///
/// A caller that finds no idle session makes a session if memory is free. Otherwise, the caller waits until a session
/// is returned. The pool caches at most one session per core, because more sessions at a time would not run faster. The
/// pool caches only one large session: callers rarely need two at the same time, and the memory of a short burst should
/// not stay allocated.
///
/// `@unchecked Sendable`: all state is accessed under the lock, and nothing uses sessions that are in the pool.
final class SessionPool: @unchecked Sendable {
  private let plan: Plan
  private let inputTypes: [TensorType]
  private let gate = Gate()
  private var idle: [Session] = []
  /// The threads that use a session. A thread is listed twice while a custom layer predicts with its own model.
  private var busy: [pthread_t] = []
  private let hasMemory: (Plan) -> Bool

  /// - Parameter hasMemory: Returns whether another session fits into free memory.
  init(
    _ plan: Plan, inputTypes: [TensorType],
    hasMemory: @escaping (Plan) -> Bool = SessionPool.hasMemory(for:)
  ) {
    self.plan = plan
    self.inputTypes = inputTypes
    self.hasMemory = hasMemory
  }

  /// The memory of the idle sessions in bytes. If there is none, the memory of one session.
  var cachedByteCount: Int {
    gate.locked { plan.arenaByteCount * max(1, idle.count) }
  }

  /// Returns a session that nothing else uses. If memory is too short for one more session, waits until a session is
  /// returned. A thread that has a session already does not wait, because it would wait for itself.
  ///
  /// - Throws: `outOfMemory` if there is no memory for the first session.
  func take() throws -> Session {
    gate.lock()
    defer { gate.unlock() }
    let thread: pthread_t = pthread_self()
    while true {
      if let session = idle.popLast() {
        busy.append(thread)
        return session
      }
      if busy.isEmpty || hasMemory(plan) || busy.contains(thread) { break }
      gate.wait()
    }
    // The session is made under the lock, so that concurrent callers do not count the same free memory.
    let session = try Session(plan, inputTypes: inputTypes)
    busy.append(thread)
    return session
  }

  /// Returns a session to the pool.
  func give(back session: Session) {
    session.reset()
    let most = plan.arenaByteCount <= Self.largeByteCount ? Int(Processor.threadCount) : 1
    gate.locked {
      if let position = busy.lastIndex(of: pthread_self()) { busy.remove(at: position) }
      if idle.count < most { idle.append(session) }
    }
    gate.signal()
  }

  /// A session with more bytes than this counts as large. Allocating a large session takes longer than running a small
  /// plan.
  private static let largeByteCount = 16 << 20

  /// Returns whether another session fits into free memory. Twice the size must be free, because a session that runs
  /// for the first time has not touched all of its memory yet.
  private static func hasMemory(for plan: Plan) -> Bool {
    plan.arenaByteCount <= SystemMemory.smallByteCount
      || MemoryBudget.available() / 2 > plan.arenaByteCount
  }
}
