import Glibc
import Platform

/// The sessions of one plan that are free, and how many there may be.
///
/// A caller who finds none free makes one while the machine has the memory; otherwise it waits for one to
/// come back. No more are kept than the machine has cores, for no more run at a time with profit; of large
/// ones only one rests, as callers who take turns without a pause seldom leave two: what two callers needed
/// at once some time ago is not held for ever.
///
/// `@unchecked Sendable`: all state is touched under the lock; sessions in the pool are touched by nobody.
final class SessionPool: @unchecked Sendable {
  private let plan: Plan
  private let inputTypes: [TensorType]
  private let gate = Gate()
  private var idle: [Session] = []
  /// The threads that have a session. A user's layer that predicts with its own model is in it twice.
  private var busy: [pthread_t] = []
  private let hasMemory: (Plan) -> Bool

  /// - Parameter hasMemory: whether another session fits the memory that is free.
  init(
    _ plan: Plan, inputTypes: [TensorType],
    hasMemory: @escaping (Plan) -> Bool = SessionPool.hasRoom(for:)
  ) {
    self.plan = plan
    self.inputTypes = inputTypes
    self.hasMemory = hasMemory
  }

  /// The memory of the sessions that are free and of one that runs, in bytes.
  var keptByteCount: Int {
    gate.locked { plan.arenaByteCount * max(1, idle.count) }
  }

  /// A session that nobody else uses. A thread that has one already does not wait for itself.
  ///
  /// - Throws: `outOfMemory` when there is no memory for the first one.
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
    // Made under the lock, so that callers at the same time do not count on the same memory.
    let session = try Session(plan, inputTypes: inputTypes)
    busy.append(thread)
    return session
  }

  /// Puts a session back.
  func give(back session: Session) {
    session.rest()
    let most = plan.arenaByteCount <= Self.largeByteCount ? Int(Processor.threadCount) : 1
    gate.locked {
      if let place = busy.lastIndex(of: pthread_self()) { busy.remove(at: place) }
      if idle.count < most { idle.append(session) }
    }
    gate.signal()
  }

  /// The memory from which on a session is large: what the system takes longer to give than a small plan to run.
  private static let largeByteCount = 16 << 20

  /// Whether another session fits the memory that is free. A session that runs for the first time has not
  /// touched all of its memory yet: as much again is asked for.
  private static func hasRoom(for plan: Plan) -> Bool {
    plan.arenaByteCount <= SystemMemory.smallByteCount
      || MemoryBudget.available() / 2 > plan.arenaByteCount
  }
}
