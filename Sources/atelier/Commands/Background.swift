import Dispatch
import Platform

/// Work that is done beside whoever asked for it.
final class Background<Result>: Sendable {
  private let done = DispatchGroup()
  // Written once, before the group is left, and read after it.
  private let result: Locked<Result?> = Locked(nil)

  /// Starts the work. Nobody else uses what it captures until it is done.
  init(_ work: @escaping () -> Result) {
    // Safe: whoever starts the work leaves what it captures alone.
    nonisolated(unsafe) let work = work
    DispatchQueue.global(qos: .userInitiated).async(group: done) {
      let made: Result = work()
      self.result.withLock { $0 = made }
    }
  }

  /// Waits for the work and takes what it made; once.
  func take() -> Result {
    done.wait()
    let made: Result? = result.withLock { result in
      defer { result = nil }
      return result
    }
    guard let made else { preconditionFailure("what work made is taken once") }
    return made
  }
}
