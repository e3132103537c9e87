/// A value that many threads share, one at a time.
///
/// `@unchecked Sendable`: the value is touched under the lock only. What is not `Sendable` in it must not
/// be handed out of ``withLock(_:)`` and kept.
public final class Locked<Value>: @unchecked Sendable {
  private let gate = Gate()
  private var value: Value

  /// A value to be shared.
  public init(_ value: Value) { self.value = value }

  /// Calls the closure with the value while nobody else has it.
  public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try gate.locked { try body(&value) }
  }
}
