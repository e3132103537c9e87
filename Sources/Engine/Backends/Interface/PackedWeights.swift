import Graph
import Platform

/// The weights of one network in the formats that kernels read. Kernels that need the same format of the same constants
/// share one packed weight, across all input shapes, plans and sessions.
///
/// A packed weight is freed together with the last plan that refers to it.
public final class PackedWeights: Sendable {
  private struct Key: Hashable {
    let form: String
    let constants: [Constant.Identity]
  }

  private struct Entry {
    weak var weight: PackedWeight?
  }

  private let entries = Locked<[Key: Entry]>([:])
  /// Whether this store is for timing kernels. Its weights are then filled with zeros: constants are neither read nor
  /// packed.
  private let holdsZeros: Bool

  /// Creates an empty store.
  public init() { holdsZeros = false }

  private init(holdsZeros: Bool) { self.holdsZeros = holdsZeros }

  /// Creates a store for timing kernels. Its weights are filled with zeros: constants are neither read nor packed.
  package static func placeholders() -> PackedWeights { PackedWeights(holdsZeros: true) }

  /// Returns the packed weight for constants in a format. Other kernels may share this packed weight. Packs nothing
  /// yet.
  ///
  /// - Parameters:
  ///   - form: The name of the format. The name must include everything on which the packed bytes depend besides the
  ///     constants. Calls with the same name and the same constants return the same packed weight.
  ///   - byteCount: The size of the packed weight, in bytes.
  ///   - pack: Writes all of the memory. ``PackedWeight/prepare()`` and ``PackedWeight/hold()`` call this closure if
  ///     the memory is not allocated.
  public func weight(
    _ form: String, of constants: [Constant], byteCount: Int,
    pack: @escaping @Sendable (UnsafeMutableRawPointer) throws -> Void
  ) -> PackedWeight {
    let key = Key(form: form, constants: constants.map(\.identity))
    return entries.withLock { entries in
      if let known = entries[key]?.weight { return known }
      let zeros: @Sendable (UnsafeMutableRawPointer) throws -> Void = { memory in
        // Safe: the memory has `byteCount` bytes.
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
      }
      // After packing, releases the pages of the model file that hold the constants. If the weight is packed again, the
      // system reads the pages again.
      let packOnce: @Sendable (UnsafeMutableRawPointer) throws -> Void = { memory in
        try pack(memory)
        for constant in constants { constant.releasePages() }
      }
      let made = PackedWeight(
        byteCount: byteCount, lifetimes: constants.map(\.lifetime),
        pack: holdsZeros ? zeros : packOnce)
      if entries.count >= 64, entries.count.nonzeroBitCount == 1 {
        entries = entries.filter { $0.value.weight != nil }
      }
      entries[key] = Entry(weight: made)
      return made
    }
  }

  /// The size of all weights to which plans refer, in bytes. Weights that are not packed yet count too.
  public var byteCount: Int {
    entries.withLock { $0.values.reduce(0) { $0 + ($1.weight?.byteCount ?? 0) } }
  }
}

/// Constants in the format that a kernel reads.
///
/// `@unchecked Sendable`: the buffer is allocated under the lock before any run reads it, and freed under the lock when
/// no run holds it.
public final class PackedWeight: @unchecked Sendable {
  /// The size of the packed weight, in bytes.
  public let byteCount: Int
  private let lifetimes: [AnyObject]
  private let gate = Gate()
  private var pack: (@Sendable (UnsafeMutableRawPointer) throws -> Void)?
  private var buffer: AlignedBuffer?
  /// The number of runs that hold the weight now. When it becomes 0, the memory is freed, unless the weight is
  /// persistent.
  private var holders = 0
  /// Whether the memory stays allocated until this object is freed.
  private var isPersistent = false

  fileprivate init(
    byteCount: Int, lifetimes: [AnyObject],
    pack: @escaping @Sendable (UnsafeMutableRawPointer) throws -> Void
  ) {
    self.byteCount = byteCount
    self.lifetimes = lifetimes
    self.pack = pack
  }

  /// Whether the weight is packed and persistent.
  public var isPrepared: Bool { gate.locked { isPersistent } }

  /// Whether the memory is allocated and packed now.
  package var isAllocated: Bool { gate.locked { buffer != nil } }

  /// Allocates the memory and packs the weight, unless the weight is packed already. A plan does this for all its
  /// weights before its first run, after the memory budget was checked.
  public func prepare() throws {
    try gate.locked {
      try make()
      isPersistent = true
      pack = nil
    }
  }

  /// Counts one more reader. Allocates the memory and packs the weight, unless the weight is packed already.
  /// ``release()`` ends the reading.
  public func hold() throws {
    try gate.locked {
      try make()
      holders += 1
    }
  }

  /// Ends the reading that ``hold()`` began. Frees the memory if no other reader holds the weight and nobody has called
  /// ``prepare()``.
  public func release() {
    gate.locked {
      holders -= 1
      if holders == 0, !isPersistent { buffer = nil }
    }
  }

  private func make() throws {
    guard buffer == nil, let pack else { return }
    let made = try AlignedBuffer(byteCount: byteCount)
    try pack(made.pointer)
    buffer = made
  }

  /// The packed weight, aligned to 64 bytes. Valid after ``prepare()`` or between ``hold()`` and ``release()``.
  public var pointer: UnsafeMutableRawPointer {
    guard let buffer else { preconditionFailure("a plan prepares its weights before it runs") }
    return buffer.pointer
  }

  /// The packed weight as floats.
  public var floats: UnsafeMutablePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }
}
