import Dispatch
import Platform

/// Something that is handed to another thread and not used on this one any more.
///
/// `@unchecked Sendable`: by that promise.
struct HandedOver<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// A result on its way from a thread to an asynchronous function.
///
/// It passes through a lock: ThreadSanitizer does not see on Linux that what stands before a continuation
/// is resumed happens before what stands after it.
struct Delivery<Value>: Sendable {
  private let result = Locked<Result<HandedOver<Value>, any Error>?>(nil)

  /// Lets `start` begin the work, and waits until it has called its argument, once, with the result.
  func value(
    from start: (@escaping @Sendable (Result<HandedOver<Value>, any Error>) -> Void) -> Void
  ) async throws -> Value {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      start { made in
        result.withLock { $0 = made }
        continuation.resume()
      }
    }
    guard let made = result.withLock({ $0 }) else {
      preconditionFailure("a result is delivered before its receiver is woken")
    }
    return try made.get().value
  }
}

/// Runs work that takes long on threads of its own, so that no `async` function blocks.
enum BackgroundWork {
  private static let queue = DispatchQueue(
    label: "Atelier.CoreML", qos: .userInitiated, attributes: .concurrent)

  static func start(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  static func result<Value>(
    of work: @escaping @Sendable () throws -> HandedOver<Value>
  ) async throws -> Value {
    try await Delivery<Value>().value { deliver in
      queue.async { deliver(Result { try work() }) }
    }
  }
}
