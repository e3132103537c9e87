import Platform
import Synchronization

/// What belongs to one run of a network that runs piece by piece: what may end it, and the memory that its
/// values take.
struct DynamicRun: Sendable {
  let limits: RunLimits
  let account: MemoryAccount
}

/// Counts the memory of values that come and go, against a caller's limit.
final class MemoryAccount: Sendable {
  /// In bytes; nil for what the machine has free.
  private let limit: Int?
  private let used = Atomic<Int>(0)

  init(limit: Int?) { self.limit = limit.map { max(0, $0) } }

  /// Counts bytes that are about to be taken.
  ///
  /// - Throws: `outOfMemory` when they do not fit; nothing is counted then.
  func take(_ byteCount: Int, for shape: Shape) throws {
    let total: Int = used.add(byteCount, ordering: .relaxed).newValue
    let fits: Bool = limit.map { total <= $0 } ?? SystemMemory.has(byteCount)
    guard !fits else { return }
    giveBack(byteCount)
    throw EngineError(
      .outOfMemory,
      "a tensor of \(shape) does not fit the memory that is free; use a smaller input.")
  }

  /// Counts bytes that are free again.
  func giveBack(_ byteCount: Int) { used.subtract(byteCount, ordering: .relaxed) }
}
