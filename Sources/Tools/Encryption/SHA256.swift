import CCrypto
import Foundation

/// Computes SHA-256 digests with libcrypto.
///
/// **Source:** FIPS 180-4, “Secure Hash Standard” (2015).
public enum SHA256 {
  /// Returns the digest of bytes as 64 hexadecimal digits in lower case.
  ///
  /// - Throws: ``EncryptionError`` if libcrypto is missing.
  public static func hexDigest(of data: Data) throws -> String {
    guard let digest = digest(of: data) else {
      throw EncryptionError(
        .failed,
        "A SHA-256 digest cannot be computed: libcrypto.so.3 is missing. Install OpenSSL 3 (Debian's libssl3)."
      )
    }
    return digest
  }

  /// Returns the digest of a file, or nil if the file cannot be read.
  public static func hexDigest(ofFile file: URL) -> String? {
    (try? Data(contentsOf: file, options: .alwaysMapped)).flatMap { digest(of: $0) }
  }

  private static func digest(of data: Data) -> String? {
    var digest = [UInt8](repeating: 0, count: 32)
    let status: Int32 = data.withUnsafeBytes { bytes in
      // Safe: the bytes stay valid during the call. For empty data, libcrypto gets a valid pointer and reads nothing.
      let nothing: [UInt8] = [0]
      return nothing.withUnsafeBufferPointer { nothing in
        ccrypto_sha256(
          bytes.bindMemory(to: UInt8.self).baseAddress ?? nothing.baseAddress, bytes.count,
          &digest)
      }
    }
    guard status == 0 else { return nil }
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
