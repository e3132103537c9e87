@_exported import Foundation

/// A hash function. Makes the digest of bytes that a caller adds in parts.
public protocol HashFunction: Sendable {
  /// The type of the digests.
  associatedtype Digest: CryptoKit.Digest
  /// The number of bytes of a block.
  static var blockByteCount: Int { get }

  /// Begins a digest.
  init()

  /// Adds bytes.
  mutating func update(bufferPointer: UnsafeRawBufferPointer)

  /// Returns the digest of the bytes so far.
  func finalize() -> Digest
}

extension HashFunction {
  /// Returns the digest of bytes.
  public static func hash<D: DataProtocol>(data: D) -> Digest {
    var function = Self()
    function.update(data: data)
    return function.finalize()
  }

  /// Returns the digest of bytes.
  public static func hash(bufferPointer: UnsafeRawBufferPointer) -> Digest {
    var function = Self()
    function.update(bufferPointer: bufferPointer)
    return function.finalize()
  }

  /// Adds bytes.
  public mutating func update<D: DataProtocol>(data: D) {
    for region in data.regions {
      region.withUnsafeBytes { update(bufferPointer: $0) }
    }
  }
}

/// The result of a hash function.
public protocol Digest: Hashable, ContiguousBytes, CustomStringConvertible, Sequence, Sendable
where Element == UInt8 {
  /// The number of bytes.
  static var byteCount: Int { get }
}

extension Digest {
  /// Compares the digest with bytes, in a time that does not depend on the bytes.
  public static func == <D: DataProtocol>(left: Self, right: D) -> Bool {
    areEqual(Array(left), Array(right))
  }

  /// Compares the digest with bytes, in a time that does not depend on the bytes.
  public static func != <D: DataProtocol>(left: Self, right: D) -> Bool { !(left == right) }
}

/// Compares bytes in a time that depends only on their number.
func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}

/// Bytes as hexadecimal digits in lower case.
func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
