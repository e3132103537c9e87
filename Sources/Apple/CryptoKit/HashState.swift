import CCrypto

/// The state of a digest that libcrypto computes.
///
/// `@unchecked Sendable`: one value owns the state, and copies it before a change if another value shares it.
final class HashState: @unchecked Sendable {
  private let handle: OpaquePointer

  init(_ kind: CCryptoDigest) {
    guard let handle = ccrypto_hash_new(kind) else {
      preconditionFailure(
        "CryptoKit: libcrypto.so.3 is missing or refuses the digest. Install OpenSSL 3 (libssl3).")
    }
    self.handle = handle
  }

  private init(handle: OpaquePointer) { self.handle = handle }

  deinit { ccrypto_hash_free(handle) }

  func copy() -> HashState {
    guard let copied = withExtendedLifetime(self, { ccrypto_hash_copy(handle) }) else {
      preconditionFailure("CryptoKit: there is no memory for the state of a digest.")
    }
    return HashState(handle: copied)
  }

  func update(_ bytes: UnsafeRawBufferPointer) {
    guard let address = bytes.baseAddress, !bytes.isEmpty else { return }
    let status: Int32 = withExtendedLifetime(self) {
      ccrypto_hash_update(handle, address, bytes.count)
    }
    precondition(status == 0, "CryptoKit: libcrypto failed to add bytes to a digest.")
  }

  /// Returns the digest of the bytes so far. A caller can add more bytes afterwards.
  func digest(byteCount: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    let copied: HashState = copy()
    let status: Int32 = withExtendedLifetime(copied) { ccrypto_hash_finish(copied.handle, &bytes) }
    precondition(status == 0, "CryptoKit: libcrypto failed to finish a digest.")
    return bytes
  }
}
