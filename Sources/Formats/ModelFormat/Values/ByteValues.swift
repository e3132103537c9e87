import Glibc

/// Bytes of a model: a slice of the mapped file, or allocated bytes.
///
/// Copies share the memory. They also keep the file mapped.
public struct ByteValues: RandomAccessCollection, Equatable, Sendable {
  private(set) var storage: ByteStorage?
  private(set) var start: Int
  /// The number of bytes.
  public private(set) var count: Int

  /// Makes an empty value.
  public init() {
    storage = nil
    start = 0
    count = 0
  }

  /// Copies `bytes`.
  public init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { ByteValues(copying: $0) }
  }

  /// Copies `bytes`.
  public init(copying bytes: UnsafeRawBufferPointer) {
    self.init()
    append(bytes)
  }

  /// Allocates `count` bytes of memory, aligned to 64 bytes, and lets the closure fill them. Nothing is copied.
  package init(
    count: Int, filling fill: (UnsafeMutableRawPointer) throws -> Void
  ) rethrows {
    let storage = OwnedBytes(capacity: count)
    // Safe: `OwnedBytes` has a base for every capacity.
    if let base = storage.base { try fill(base) }
    self.init(storage: storage, start: 0, count: count)
  }

  /// Allocates memory for decrypted data and lets the closure fill it. Core dumps omit this memory.
  package init(
    secret count: Int, filling fill: (UnsafeMutableRawPointer) throws -> Void
  ) throws {
    let storage = try SecretBytes(capacity: count)
    // Safe: `SecretBytes` has a base for every capacity.
    if let base = storage.base { try fill(base) }
    self.init(storage: storage, start: 0, count: count)
  }

  /// Makes a slice of a storage. The caller must ensure that the range is within the storage.
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

  /// The bytes. The pointer does not keep the memory alive.
  @usableFromInline var unownedBytes: UnsafeRawBufferPointer {
    guard let base = storage?.base else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    // Safe: the initialisers check that the range is within the storage.
    return UnsafeRawBufferPointer(start: base + start, count: count)
  }

  /// Returns a copy of the bytes.
  public func array() -> [UInt8] {
    withUnsafeBytes { [UInt8]($0) }
  }

  /// Returns a slice of the bytes that shares their memory. Nil if the range is out of bounds.
  public func slice(from offset: Int, count length: Int) -> ByteValues? {
    guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
    guard let storage else { return ByteValues() }
    return ByteValues(storage: storage, start: start + offset, count: length)
  }

  /// Returns whether both values have the same bytes.
  public static func == (left: ByteValues, right: ByteValues) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { first in
      right.withUnsafeBytes { second in
        guard let a = first.baseAddress, let b = second.baseAddress else { return true }
        return a == b || memcmp(a, b, first.count) == 0
      }
    }
  }

  /// Appends bytes. Allocated memory grows by doubling. A slice of a file is copied to allocated memory first.
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
    // Safe: this value is the storage's only owner, and the storage holds start + total bytes.
    storage?.base?.advanced(by: start + count).copyMemory(from: source, byteCount: bytes.count)
    count = total
  }

  /// Appends another slice. If it directly follows this slice in the same storage, nothing is copied.
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
