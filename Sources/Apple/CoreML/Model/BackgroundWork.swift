import Dispatch
import Platform

/// Passes a result from a thread to an asynchronous function.
///
/// The result goes through a lock. Without the lock, ThreadSanitizer on Linux would report a race, because
/// ThreadSanitizer does not know that the code before `resume` runs before the code after the suspension.
struct Delivery<Value>: Sendable {
  private let result = Locked<Result<SendableBox<Value>, any Error>?>(nil)

  /// Calls `start` to begin the work, and suspends until the work delivers its result.
  ///
  /// - Parameter start: A function that begins the work. Its argument is a closure. The work must call this closure
  ///   once, with the result.
  func value(
    from start: (@escaping @Sendable (Result<SendableBox<Value>, any Error>) -> Void) -> Void
  ) async throws -> Value {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      start { made in
        result.withLock { $0 = made }
        continuation.resume()
      }
    }
    guard let made = result.withLock({ $0 }) else {
      preconditionFailure("the result is set before the continuation is resumed")
    }
    return try made.get().value
  }
}

/// Runs long work on background threads, so that no `async` function blocks.
enum BackgroundWork {
  private static let queue = DispatchQueue(
    label: "Atelier.CoreML", qos: .userInitiated, attributes: .concurrent)

  static func start(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  static func result<Value>(
    of work: @escaping @Sendable () throws -> SendableBox<Value>
  ) async throws -> Value {
    try await Delivery<Value>().value { deliver in
      queue.async { deliver(Result { try work() }) }
    }
  }
}
