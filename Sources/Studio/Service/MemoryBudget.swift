import Platform

/// A limit on the memory of all requests together: received bodies, waiting photos, responses that are being sent.
public final class MemoryBudget: Sendable {
  /// The maximum number of bytes that all reservations together may have.
  public let byteCount: Int
  private let used = Locked(0)

  /// Creates a budget without reservations.
  public init(byteCount: Int) { self.byteCount = byteCount }

  /// The bytes that are reserved.
  public var usedCount: Int { used.withLock { $0 } }

  /// Reserves bytes. Returns nil if fewer than `count` bytes are left.
  public func reserve(_ count: Int) -> Reservation? {
    let fits: Bool = used.withLock { used in
      guard count >= 0, count <= byteCount - used else { return false }
      used += count
      return true
    }
    return fits ? Reservation(count, of: self) : nil
  }

  fileprivate func release(_ count: Int) { used.withLock { $0 -= count } }
}

/// A reserved part of a ``MemoryBudget``. It returns to the budget when this object is deallocated. So code that stores
/// the bytes for which the memory is reserved must store this object, too.
public final class Reservation: Sendable {
  private let count: Int
  private let budget: MemoryBudget

  fileprivate init(_ count: Int, of budget: MemoryBudget) {
    self.count = count
    self.budget = budget
  }

  deinit { budget.release(count) }
}
