import Foundation

/// A lock that may be taken again by who holds it: what is called under it may subscribe and cancel.
final class Lock: @unchecked Sendable {
  private let lock = NSRecursiveLock()

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
