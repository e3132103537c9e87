import Dispatch
import Platform

/// Work that runs on another thread, concurrently with its caller.
final class Background<Result>: Sendable {
  private let done = DispatchGroup()
  // The work's thread writes the result once, before the thread leaves the group. `take` reads the result after waiting
  // for the group.
  private let result: Locked<Result?> = Locked(nil)

  /// Starts the work. The caller must not use anything that the closure captures until the work is done.
  init(_ work: @escaping () -> Result) {
    // Safe: the caller does not use what the closure captures.
    nonisolated(unsafe) let work = work
    DispatchQueue.global(qos: .userInitiated).async(group: done) {
      let made: Result = work()
      self.result.withLock { $0 = made }
    }
  }

  /// Waits for the work and returns its result. May be called only once.
  func take() -> Result {
    done.wait()
    let made: Result? = result.withLock { result in
      defer { result = nil }
      return result
    }
    guard let made else { preconditionFailure("the result of work is taken once") }
    return made
  }
}
