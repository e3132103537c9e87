/// A value with a lock.
///
/// `@unchecked Sendable`: the value is only accessed under the lock. Parts of the value that are not `Sendable` must
/// not leave ``withLock(_:)``.
public final class Locked<Value>: @unchecked Sendable {
  private let gate = Gate()
  private var value: Value

  /// Creates a value with an unlocked lock.
  public init(_ value: Value) { self.value = value }

  /// Acquires the lock, calls the closure with the value, and releases the lock.
  public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try gate.locked { try body(&value) }
  }
}
