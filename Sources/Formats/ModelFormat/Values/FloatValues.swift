/// Numbers of a `repeated float` field: a slice of the mapped file, or numbers of our own.
///
/// Copies share the memory, and keep the file mapped. A slice of a file may lie at any address: read
/// through the subscript, or unaligned through `withUnsafeBytes`. Two are equal where their bits are.
public struct FloatValues: RandomAccessCollection, Equatable, Sendable, ExpressibleByArrayLiteral {
  /// The numbers' bytes, little-endian; their count is a multiple of four.
  public private(set) var bytes: ByteValues

  /// No numbers.
  public init() {
    bytes = ByteValues()
  }

  /// A copy of `values`.
  public init(_ values: [Float]) {
    bytes = values.withUnsafeBytes { ByteValues(copying: $0) }
  }

  /// The numbers listed.
  public init(arrayLiteral elements: Float...) {
    self.init(elements)
  }

  /// Numbers that lie in `bytes`, or nil where their count is no multiple of four.
  public init?(bytes: ByteValues) {
    guard bytes.count % 4 == 0 else { return nil }
    self.bytes = bytes
  }

  /// How many numbers there are.
  public var count: Int { bytes.count / 4 }
  /// The position of the first number: zero.
  public var startIndex: Int { 0 }
  /// The position after the last number.
  public var endIndex: Int { count }

  /// The number at a position.
  public subscript(position: Int) -> Float {
    precondition(position >= 0 && position < count, "position beyond the numbers")
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position * 4, as: Float.self) }
  }

  /// Calls `body` with the numbers' bytes, which are valid during the call and may be unaligned.
  @inlinable public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows
    -> R
  {
    try bytes.withUnsafeBytes(body)
  }

  /// A copy of the numbers.
  public func array() -> [Float] {
    [Float](unsafeUninitializedCapacity: count) { target, initialized in
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(target).copyMemory(from: $0) }
      initialized = count
    }
  }

  /// Adds numbers that lie in `other`, whose count of bytes is a multiple of four.
  mutating func append(bytes other: ByteValues) {
    bytes.append(other)
  }
}
