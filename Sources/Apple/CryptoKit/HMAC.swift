/// A code that proves that bytes come from somebody with the key.
public protocol MessageAuthenticationCode: Hashable, ContiguousBytes, CustomStringConvertible,
  Sequence, Sendable
where Element == UInt8 {
  /// The number of bytes.
  var byteCount: Int { get }
}

/// A code that ``HMAC`` makes.
public struct HashedAuthenticationCode<H: HashFunction>: MessageAuthenticationCode {
  let bytes: [UInt8]

  /// The number of bytes.
  public var byteCount: Int { bytes.count }

  /// Calls a closure with the bytes.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try bytes.withUnsafeBytes(body)
  }

  /// The bytes one by one.
  public func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

  /// Compares in a time that does not depend on the bytes.
  public static func == (left: Self, right: Self) -> Bool { areEqual(left.bytes, right.bytes) }

  /// The function's name and the bytes in hexadecimal digits.
  public var description: String { "HMAC with \(H.self): \(hexadecimal(bytes))" }
}

/// Keyed-hash message authentication (HMAC).
///
/// **Source:** RFC 2104.
public struct HMAC<H: HashFunction>: Sendable {
  /// The type of the key.
  public typealias Key = SymmetricKey
  /// The type of the results.
  public typealias MAC = HashedAuthenticationCode<H>
  private var inner: H = H()
  private var outer: H = H()

  /// Begins a code.
  public init(key: SymmetricKey) {
    var block: [UInt8] =
      key.bytes.count > H.blockByteCount ? Array(H.hash(data: key.bytes)) : key.bytes
    block += [UInt8](repeating: 0, count: H.blockByteCount - block.count)
    inner.update(data: block.map { $0 ^ 0x36 })
    outer.update(data: block.map { $0 ^ 0x5c })
  }

  /// Adds bytes.
  public mutating func update<D: DataProtocol>(data: D) { inner.update(data: data) }

  /// Returns the code of the bytes so far.
  public func finalize() -> MAC {
    var last: H = outer
    last.update(data: Array(inner.finalize()))
    return MAC(bytes: Array(last.finalize()))
  }

  /// Returns the code of bytes.
  public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey)
    -> MAC
  {
    var code = HMAC(key: key)
    code.update(data: data)
    return code.finalize()
  }

  /// Returns whether a code belongs to bytes.
  public static func isValidAuthenticationCode<D: DataProtocol>(
    _ mac: MAC, authenticating authenticatedData: D, using key: SymmetricKey
  ) -> Bool {
    mac == authenticationCode(for: authenticatedData, using: key)
  }

  /// Returns whether a code belongs to bytes.
  public static func isValidAuthenticationCode<C: ContiguousBytes, D: DataProtocol>(
    _ authenticationCode: C, authenticating authenticatedData: D, using key: SymmetricKey
  ) -> Bool {
    let bytes: [UInt8] = authenticationCode.withUnsafeBytes { Array($0) }
    return areEqual(bytes, self.authenticationCode(for: authenticatedData, using: key).bytes)
  }
}

/// Derives keys from a key (HKDF).
///
/// **Source:** RFC 5869.
public enum HKDF<H: HashFunction> {
  /// Returns a key of `outputByteCount` bytes, at most 255 digests long.
  public static func deriveKey<Salt: DataProtocol, Info: DataProtocol>(
    inputKeyMaterial: SymmetricKey, salt: Salt, info: Info, outputByteCount: Int
  ) -> SymmetricKey {
    precondition(
      outputByteCount >= 0 && outputByteCount <= 255 * H.Digest.byteCount,
      "a derived key of \(outputByteCount) bytes was asked for, expected at most 255 digests")
    let extracted = HMAC<H>.authenticationCode(
      for: inputKeyMaterial.bytes, using: SymmetricKey(data: Array(salt)))
    let key = SymmetricKey(data: extracted.bytes)
    var output: [UInt8] = []
    var last: [UInt8] = []
    var counter: UInt8 = 1
    while output.count < outputByteCount {
      last = HMAC<H>.authenticationCode(for: last + Array(info) + [counter], using: key).bytes
      output += last
      counter &+= 1
    }
    return SymmetricKey(data: Array(output.prefix(outputByteCount)))
  }

  /// Returns a key of `outputByteCount` bytes, with an empty salt.
  public static func deriveKey<Info: DataProtocol>(
    inputKeyMaterial: SymmetricKey, info: Info, outputByteCount: Int
  ) -> SymmetricKey {
    deriveKey(
      inputKeyMaterial: inputKeyMaterial, salt: [UInt8](), info: info,
      outputByteCount: outputByteCount)
  }
}
