import Graph
import Platform

/// The weights of one network in the forms that kernels read, each packed once: whatever number of input
/// shapes, plans and sessions there are, kernels that want the same form of the same constants share it.
///
/// A form lives as long as a plan that reads it.
public final class PackedWeights: Sendable {
  private struct Key: Hashable {
    let form: String
    let constants: [Constant.Identity]
  }

  private struct Entry {
    weak var weight: PackedWeight?
  }

  private let entries = Locked<[Key: Entry]>([:])
  private let standsIn: Bool

  /// An empty store.
  public init() { standsIn = false }

  private init(standsIn: Bool) { self.standsIn = standsIn }

  /// A store whose forms hold zeros and are never packed: for kernels that are timed.
  package static func standIns() -> PackedWeights { PackedWeights(standsIn: true) }

  /// The packed form of constants, perhaps shared with other kernels. Nothing is packed yet.
  ///
  /// - Parameters:
  ///   - form: names the form with all that it depends on beside the constants: the same name of the
  ///     same constants is the same memory.
  ///   - byteCount: the size of the packed form.
  ///   - pack: writes all of it; called at most once, by ``PackedWeight/prepare()``.
  public func weight(
    _ form: String, of constants: [Constant], byteCount: Int,
    pack: @escaping @Sendable (UnsafeMutableRawPointer) throws -> Void
  ) -> PackedWeight {
    let key = Key(form: form, constants: constants.map(\.identity))
    return entries.withLock { entries in
      if let known = entries[key]?.weight { return known }
      let zeros: @Sendable (UnsafeMutableRawPointer) throws -> Void = { memory in
        // Safe: the memory is as large as the form.
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
      }
      // A file's weights are not kept in memory beside their packed form.
      let packOnce: @Sendable (UnsafeMutableRawPointer) throws -> Void = { memory in
        try pack(memory)
        for constant in constants { constant.giveBackPages() }
      }
      let made = PackedWeight(
        byteCount: byteCount, lifetimes: constants.map(\.lifetime),
        pack: standsIn ? zeros : packOnce)
      if entries.count >= 64, entries.count.nonzeroBitCount == 1 {
        entries = entries.filter { $0.value.weight != nil }
      }
      entries[key] = Entry(weight: made)
      return made
    }
  }

  /// The memory of all forms that plans read, in bytes; packed or about to be.
  public var byteCount: Int {
    entries.withLock { $0.values.reduce(0) { $0 + ($1.weight?.byteCount ?? 0) } }
  }
}

/// Constants in the form that a kernel reads.
///
/// `@unchecked Sendable`: the buffer is made under the lock, once, before any run.
public final class PackedWeight: @unchecked Sendable {
  /// The size of the packed form, in bytes.
  public let byteCount: Int
  private let lifetimes: [AnyObject]
  private let gate = Gate()
  private var pack: (@Sendable (UnsafeMutableRawPointer) throws -> Void)?
  private var buffer: AlignedBuffer?

  fileprivate init(
    byteCount: Int, lifetimes: [AnyObject],
    pack: @escaping @Sendable (UnsafeMutableRawPointer) throws -> Void
  ) {
    self.byteCount = byteCount
    self.lifetimes = lifetimes
    self.pack = pack
  }

  /// Whether the memory is taken and written.
  public var isPrepared: Bool { gate.locked { buffer != nil } }

  /// Takes the memory and packs, unless that has been done. A plan does this for all of its weights before
  /// its first run, after its memory was found to fit.
  public func prepare() throws {
    try gate.locked {
      guard buffer == nil, let pack else { return }
      let made = try AlignedBuffer(byteCount: byteCount)
      try pack(made.pointer)
      buffer = made
      self.pack = nil
    }
  }

  /// The packed form, aligned to 64 bytes; for steps, which run after ``prepare()``.
  public var pointer: UnsafeMutableRawPointer {
    guard let buffer else { preconditionFailure("a plan prepares its weights before it runs") }
    return buffer.pointer
  }

  /// The packed form as floats.
  public var floats: UnsafeMutablePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }
}
