import CCrypto

/// The length of a key.
public struct SymmetricKeySize: Sendable {
  /// The number of bits.
  public let bitCount: Int
  /// 128 bits.
  public static let bits128: SymmetricKeySize = SymmetricKeySize(bitCount: 128)
  /// 192 bits.
  public static let bits192: SymmetricKeySize = SymmetricKeySize(bitCount: 192)
  /// 256 bits.
  public static let bits256: SymmetricKeySize = SymmetricKeySize(bitCount: 256)

  /// Makes a length of a multiple of 8 bits.
  public init(bitCount: Int) {
    precondition(
      bitCount > 0 && bitCount % 8 == 0,
      "a key of \(bitCount) bits was asked for, expected a positive multiple of 8")
    self.bitCount = bitCount
  }
}

/// A secret key.
public struct SymmetricKey: ContiguousBytes, Equatable, Sendable {
  let bytes: [UInt8]

  /// Makes a key of random bytes.
  public init(size: SymmetricKeySize) {
    var random = [UInt8](repeating: 0, count: size.bitCount / 8)
    let status: Int32 = ccrypto_random(&random, random.count)
    precondition(
      status == 0, "CryptoKit: libcrypto.so.3 is missing or has no random bytes. Install libssl3.")
    bytes = random
  }

  /// Makes a key of bytes.
  public init<D: ContiguousBytes>(data: D) { bytes = data.withUnsafeBytes { Array($0) } }

  /// The number of bits.
  public var bitCount: Int { bytes.count * 8 }

  /// Calls a closure with the bytes.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try bytes.withUnsafeBytes(body)
  }

  /// Compares in a time that does not depend on the bytes.
  public static func == (left: SymmetricKey, right: SymmetricKey) -> Bool {
    areEqual(left.bytes, right.bytes)
  }
}
