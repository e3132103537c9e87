import Glibc

/// Bytes of a model: a slice of the mapped file, or bytes of our own.
///
/// Copies share the memory, and keep the file mapped.
public struct ByteValues: RandomAccessCollection, Equatable, Sendable {
  private(set) var storage: ByteStorage?
  private(set) var start: Int
  /// How many bytes there are.
  public private(set) var count: Int

  /// No bytes.
  public init() {
    storage = nil
    start = 0
    count = 0
  }

  /// A copy of `bytes`.
  public init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { ByteValues(copying: $0) }
  }

  /// A copy of `bytes`.
  public init(copying bytes: UnsafeRawBufferPointer) {
    self.init()
    append(bytes)
  }

  /// Memory of its own, aligned to 64 bytes, that the closure fills; nothing is copied.
  package init(
    count: Int, filling fill: (UnsafeMutableRawPointer) throws -> Void
  ) rethrows {
    let storage = OwnedBytes(capacity: count)
    // Safe: `OwnedBytes` has a base for every capacity.
    if let base = storage.base { try fill(base) }
    self.init(storage: storage, start: 0, count: count)
  }

  /// Memory of its own for what was encrypted, which no core dump holds.
  package init(
    secret count: Int, filling fill: (UnsafeMutableRawPointer) throws -> Void
  ) throws {
    let storage = try SecretBytes(capacity: count)
    // Safe: `SecretBytes` has a base for every capacity.
    if let base = storage.base { try fill(base) }
    self.init(storage: storage, start: 0, count: count)
  }

  /// The caller promises that the range lies within the storage.
  init(storage: ByteStorage, start: Int, count: Int) {
    precondition(start >= 0 && count >= 0 && start <= storage.count - count)
    self.storage = count == 0 ? nil : storage
    self.start = count == 0 ? 0 : start
    self.count = count
  }

  /// The position of the first byte: zero.
  public var startIndex: Int { 0 }
  /// The position after the last byte.
  public var endIndex: Int { count }

  /// The byte at a position.
  public subscript(position: Int) -> UInt8 {
    precondition(position >= 0 && position < count, "position beyond the bytes")
    return withUnsafeBytes { $0[position] }
  }

  /// Calls `body` with the bytes, which are valid during the call.
  @inlinable public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows
    -> R
  {
    let view: UnsafeRawBufferPointer = unownedBytes
    return try withExtendedLifetime(self) { try body(view) }
  }

  /// The bytes without a promise to keep them alive.
  @usableFromInline var unownedBytes: UnsafeRawBufferPointer {
    guard let base = storage?.base else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    // Safe: the initialisers check that the range lies within the storage.
    return UnsafeRawBufferPointer(start: base + start, count: count)
  }

  /// A copy of the bytes.
  public func array() -> [UInt8] {
    withUnsafeBytes { [UInt8]($0) }
  }

  /// A part of the bytes that shares their memory; nil where the range lies beyond them.
  public func slice(from offset: Int, count length: Int) -> ByteValues? {
    guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
    guard let storage else { return ByteValues() }
    return ByteValues(storage: storage, start: start + offset, count: length)
  }

  /// Equal where all bytes are.
  public static func == (left: ByteValues, right: ByteValues) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { first in
      right.withUnsafeBytes { second in
        guard let a = first.baseAddress, let b = second.baseAddress else { return true }
        return a == b || memcmp(a, b, first.count) == 0
      }
    }
  }

  /// Adds bytes; memory of our own grows by doubling, a slice of a file is copied first.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    let total: Int = count + bytes.count
    let fits: Bool = start + total <= (storage?.writableCapacity ?? 0)
    if !fits || !isKnownUniquelyReferenced(&storage) {
      let fresh = OwnedBytes(capacity: count == 0 ? total : Swift.max(total, count * 2))
      if let old = unownedBytes.baseAddress { fresh.base?.copyMemory(from: old, byteCount: count) }
      storage = fresh
      start = 0
    }
    // Safe: the storage is ours alone and holds start + total bytes.
    storage?.base?.advanced(by: start + count).copyMemory(from: source, byteCount: bytes.count)
    count = total
  }

  /// Adds a slice; where it follows this one in the same storage nothing is copied.
  mutating func append(_ other: ByteValues) {
    if count == 0 {
      self = other
    } else if let storage, storage === other.storage, start + count == other.start {
      count += other.count
    } else {
      other.withUnsafeBytes { append($0) }
    }
  }
}
