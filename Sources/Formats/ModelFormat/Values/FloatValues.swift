/// The numbers of a `repeated float` field: a slice of the mapped file, or allocated numbers.
///
/// Copies share the memory and keep the file mapped. A slice of a file may have any alignment. Read it through the
/// subscript, or with unaligned loads in `withUnsafeBytes`. Two values are equal if all bits of their numbers are
/// equal.
public struct FloatValues: RandomAccessCollection, Equatable, Sendable, ExpressibleByArrayLiteral {
  /// The numbers as little-endian bytes. The number of bytes is a multiple of four.
  public private(set) var bytes: ByteValues

  /// Makes an empty value.
  public init() {
    bytes = ByteValues()
  }

  /// Copies `values`.
  public init(_ values: [Float]) {
    bytes = values.withUnsafeBytes { ByteValues(copying: $0) }
  }

  /// Copies the listed numbers.
  public init(arrayLiteral elements: Float...) {
    self.init(elements)
  }

  /// Uses `bytes` as the numbers, without a copy. Nil if the number of bytes is not a multiple of four.
  public init?(bytes: ByteValues) {
    guard bytes.count % 4 == 0 else { return nil }
    self.bytes = bytes
  }

  /// The number of values.
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

  /// Returns a copy of the numbers.
  public func array() -> [Float] {
    [Float](unsafeUninitializedCapacity: count) { target, initialized in
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(target).copyMemory(from: $0) }
      initialized = count
    }
  }

  /// Appends the numbers in `other`. The number of bytes in `other` must be a multiple of four.
  mutating func append(bytes other: ByteValues) {
    bytes.append(other)
  }
}
