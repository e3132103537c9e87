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
  ///   - pack: writes all of it; called once by ``PackedWeight/prepare()``, or whenever ``PackedWeight/hold()``
  ///     finds that the form is not there.
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
/// `@unchecked Sendable`: the buffer is made under the lock before any run that reads it, and goes under the lock when
/// no run holds it.
public final class PackedWeight: @unchecked Sendable {
  /// The size of the packed form, in bytes.
  public let byteCount: Int
  private let lifetimes: [AnyObject]
  private let gate = Gate()
  private var pack: (@Sendable (UnsafeMutableRawPointer) throws -> Void)?
  private var buffer: AlignedBuffer?
  /// The runs that read it now, of those that do not want it to stay.
  private var holders = 0
  private var stays = false

  fileprivate init(
    byteCount: Int, lifetimes: [AnyObject],
    pack: @escaping @Sendable (UnsafeMutableRawPointer) throws -> Void
  ) {
    self.byteCount = byteCount
    self.lifetimes = lifetimes
    self.pack = pack
  }

  /// Whether the memory is taken and written, and stays.
  public var isPrepared: Bool { gate.locked { stays } }

  /// Whether the memory is taken and written now.
  package var isThere: Bool { gate.locked { buffer != nil } }

  /// Takes the memory and packs, unless that has been done. A plan does this for all of its weights before
  /// its first run, after its memory was found to fit.
  public func prepare() throws {
    try gate.locked {
      try make()
      stays = true
      pack = nil
    }
  }

  /// Takes the memory and packs, unless it is there, for one reader; ``release()`` says that it has read.
  public func hold() throws {
    try gate.locked {
      try make()
      holders += 1
    }
  }

  /// Gives the memory back where nobody else holds it and ``prepare()`` has not been called.
  public func release() {
    gate.locked {
      holders -= 1
      if holders == 0, !stays { buffer = nil }
    }
  }

  private func make() throws {
    guard buffer == nil, let pack else { return }
    let made = try AlignedBuffer(byteCount: byteCount)
    try pack(made.pointer)
    buffer = made
  }

  /// The packed form, aligned to 64 bytes; for steps, which run after ``prepare()`` or while it is held.
  public var pointer: UnsafeMutableRawPointer {
    guard let buffer else { preconditionFailure("a plan prepares its weights before it runs") }
    return buffer.pointer
  }

  /// The packed form as floats.
  public var floats: UnsafeMutablePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }
}
