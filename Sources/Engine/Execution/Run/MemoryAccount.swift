import Platform
import Synchronization

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

/// What the parts of one session share while it runs: what may end the run, and the memory of values.
final class RunContext {
  /// What may end the run.
  var limits = RunLimits.none
  /// Counts the values.
  let account: MemoryAccount
  /// Gives up the memory that is kept for later.
  var reclaim: (() -> Void)?
  /// Is told what a region has made, each time that one has run: the way to it, and one value an output.
  var observe: (([RegionPlace], [RunValue?]) throws -> Void)?

  init(memoryLimit: Int?) { account = MemoryAccount(limit: memoryLimit) }

  /// Memory for a value, or more than that, which is then zero. What is kept for later is given up when there is none.
  func value(_ form: TensorDescriptor, capacity: Int = 0) throws -> RunValue {
    do {
      return try RunValue(form, account, capacity: capacity)
    } catch let error as EngineError where error.code == .outOfMemory {
      reclaim?()
      return try RunValue(form, account, capacity: capacity)
    }
  }
}
