import CCrypto

/// SHA-384.
///
/// **Source:** FIPS 180-4.
public struct SHA384: HashFunction {
  /// The type of the digests.
  public typealias Digest = SHA384Digest
  /// The number of bytes of a block.
  public static let blockByteCount: Int = 128
  /// The number of bytes of a digest.
  public static let byteCount: Int = 48
  private var state: HashState = HashState(CCRYPTO_SHA384)

  /// Begins a digest.
  public init() {}

  /// Adds bytes.
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
    if !isKnownUniquelyReferenced(&state) { state = state.copy() }
    state.update(bufferPointer)
  }

  /// Returns the digest of the bytes so far.
  public func finalize() -> SHA384Digest {
    SHA384Digest(bytes: state.digest(byteCount: Self.byteCount))
  }
}

/// A digest of SHA384.
public struct SHA384Digest: Digest {
  /// The number of bytes.
  public static let byteCount: Int = 48
  let bytes: [UInt8]

  /// Calls a closure with the bytes.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try bytes.withUnsafeBytes(body)
  }

  /// The bytes one by one.
  public func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

  /// Compares in a time that does not depend on the bytes.
  public static func == (left: SHA384Digest, right: SHA384Digest) -> Bool {
    areEqual(left.bytes, right.bytes)
  }

  /// The name and the bytes in hexadecimal digits.
  public var description: String { "SHA384 digest: \(hexadecimal(bytes))" }
}
