import Platform
import Synchronization

/// Counts the memory of the values that exist and refuses memory above a limit.
final class MemoryAccount: Sendable {
  /// The limit in bytes. If it is nil, the limit is the memory that the machine has free.
  private let limit: Int?
  private let used = Atomic<Int>(0)

  init(limit: Int?) { self.limit = limit.map { max(0, $0) } }

  /// Counts bytes that the caller will allocate.
  ///
  /// - Throws: `outOfMemory` if the bytes do not fit. In this case, nothing is counted.
  func take(_ byteCount: Int, for shape: Shape) throws {
    let total: Int = used.add(byteCount, ordering: .relaxed).newValue
    let fits: Bool = limit.map { total <= $0 } ?? SystemMemory.has(byteCount)
    guard !fits else { return }
    giveBack(byteCount)
    throw EngineError(
      .outOfMemory,
      "a tensor of \(shape) does not fit into free memory; use a smaller input.")
  }

  /// Subtracts bytes that were freed.
  func giveBack(_ byteCount: Int) { used.subtract(byteCount, ordering: .relaxed) }
}

/// The state that the parts of one session share during a run.
final class RunContext {
  /// The limits that may end the run.
  var limits = RunLimits.none
  /// Counts the memory of values.
  let account: MemoryAccount
  /// Frees memory that is cached for later runs.
  var reclaim: (() -> Void)?
  /// Called after each run of a region, with the path to the region and one value per output.
  var observe: (([RegionIndex], [RunValue?]) throws -> Void)?

  init(memoryLimit: Int?) { account = MemoryAccount(limit: memoryLimit) }

  /// Allocates memory for a value. With `capacity`, the memory has at least this number of bytes and is zeroed. If
  /// memory is short, cached memory is freed first.
  func value(_ form: TensorDescriptor, capacity: Int = 0) throws -> RunValue {
    do {
      return try RunValue(form, account, capacity: capacity)
    } catch let error as EngineError where error.code == .outOfMemory {
      reclaim?()
      return try RunValue(form, account, capacity: capacity)
    }
  }
}
