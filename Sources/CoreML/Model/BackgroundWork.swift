import Dispatch

/// Something that is handed to another thread and not used on this one any more.
///
/// `@unchecked Sendable`: by that promise.
struct HandedOver<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
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
    let result: HandedOver<Value> = try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try work() }) }
    }
    return result.value
  }
}
