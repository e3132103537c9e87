import Platform

/// The memory that all requests share: bodies that came, photos that wait, answers that wait to be sent.
public final class MemoryBudget: Sendable {
  /// The most bytes that may be reserved together.
  public let byteCount: Int
  private let used = Locked(0)

  /// A budget that nobody has taken from.
  public init(byteCount: Int) { self.byteCount = byteCount }

  /// The bytes that are reserved.
  public var usedCount: Int { used.withLock { $0 } }

  /// Reserves bytes; nil where there are not so many left.
  public func reserve(_ count: Int) -> Reservation? {
    let fits: Bool = used.withLock { used in
      guard count >= 0, count <= byteCount - used else { return false }
      used += count
      return true
    }
    return fits ? Reservation(count, of: self) : nil
  }

  fileprivate func giveBack(_ count: Int) { used.withLock { $0 -= count } }
}

/// A part of a budget, given back with the last reference to it: whoever keeps the bytes keeps this beside them.
public final class Reservation: Sendable {
  private let count: Int
  private let budget: MemoryBudget

  fileprivate init(_ count: Int, of budget: MemoryBudget) {
    self.count = count
    self.budget = budget
  }

  deinit { budget.giveBack(count) }
}
