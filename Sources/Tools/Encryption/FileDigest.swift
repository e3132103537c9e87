import CCrypto
import Foundation

/// The SHA-256 digest of files.
public enum FileDigest {
  /// The digest of a file as 64 hexadecimal digits; nil where it cannot be read.
  public static func sha256(of file: URL) -> String? {
    guard let data = try? Data(contentsOf: file, options: .alwaysMapped) else { return nil }
    var digest = [UInt8](repeating: 0, count: 32)
    let status: Int32 = data.withUnsafeBytes { bytes in
      // Safe: the bytes live during the call, and an empty file needs no place.
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
