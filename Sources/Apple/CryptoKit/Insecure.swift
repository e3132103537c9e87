import CCrypto

/// Hash functions that are not secure. Use them only for formats that need them.
public enum Insecure {
  /// SHA-1, which is not secure.
  ///
  /// **Source:** FIPS 180-4.
  public struct SHA1: HashFunction {
    /// The type of the digests.
    public typealias Digest = Insecure.SHA1Digest
    /// The number of bytes of a block.
    public static let blockByteCount: Int = 64
    /// The number of bytes of a digest.
    public static let byteCount: Int = 20
    private var state: HashState = HashState(CCRYPTO_SHA1)

    /// Begins a digest.
    public init() {}

    /// Adds bytes.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
      if !isKnownUniquelyReferenced(&state) { state = state.copy() }
      state.update(bufferPointer)
    }

    /// Returns the digest of the bytes so far.
    public func finalize() -> SHA1Digest {
      SHA1Digest(bytes: state.digest(byteCount: Self.byteCount))
    }
  }

  /// A digest of SHA1.
  public struct SHA1Digest: Digest {
    /// The number of bytes.
    public static let byteCount: Int = 20
    let bytes: [UInt8]

    /// Calls a closure with the bytes.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
      try bytes.withUnsafeBytes(body)
    }

    /// The bytes one by one.
    public func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

    /// Compares in a time that does not depend on the bytes.
    public static func == (left: SHA1Digest, right: SHA1Digest) -> Bool {
      areEqual(left.bytes, right.bytes)
    }

    /// The name and the bytes in hexadecimal digits.
    public var description: String { "SHA1 digest: \(hexadecimal(bytes))" }
  }

  /// MD5, which is not secure.
  ///
  /// **Source:** RFC 1321.
  public struct MD5: HashFunction {
    /// The type of the digests.
    public typealias Digest = Insecure.MD5Digest
    /// The number of bytes of a block.
    public static let blockByteCount: Int = 64
    /// The number of bytes of a digest.
    public static let byteCount: Int = 16
    private var state: HashState = HashState(CCRYPTO_MD5)

    /// Begins a digest.
    public init() {}

    /// Adds bytes.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
      if !isKnownUniquelyReferenced(&state) { state = state.copy() }
      state.update(bufferPointer)
    }

    /// Returns the digest of the bytes so far.
    public func finalize() -> MD5Digest {
      MD5Digest(bytes: state.digest(byteCount: Self.byteCount))
    }
  }

  /// A digest of MD5.
  public struct MD5Digest: Digest {
    /// The number of bytes.
    public static let byteCount: Int = 16
    let bytes: [UInt8]

    /// Calls a closure with the bytes.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
      try bytes.withUnsafeBytes(body)
    }

    /// The bytes one by one.
    public func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

    /// Compares in a time that does not depend on the bytes.
    public static func == (left: MD5Digest, right: MD5Digest) -> Bool {
      areEqual(left.bytes, right.bytes)
    }

    /// The name and the bytes in hexadecimal digits.
    public var description: String { "MD5 digest: \(hexadecimal(bytes))" }
  }
}
