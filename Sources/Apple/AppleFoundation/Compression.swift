import CDeflate
import Foundation

extension NSData {
  /// How bytes are compressed. Raw values are Apple's.
  public enum CompressionAlgorithm: Int, Sendable {
    /// Apple's LZFSE. Not supported.
    case lzfse = 0
    /// LZ4 in Apple's frames. Not supported.
    case lz4 = 1
    /// LZMA in the format of xz. Not supported.
    case lzma = 2
    /// DEFLATE (RFC 1951) at level 5, without zlib's header and checksum.
    case zlib = 3
  }

  /// Returns the bytes compressed.
  ///
  /// - Throws: `CocoaError` with the code `featureUnsupported` for each algorithm but `zlib`.
  public func compressed(using algorithm: CompressionAlgorithm) throws -> NSData {
    try transformed(algorithm, compresses: true)
  }

  /// Returns the bytes decompressed.
  ///
  /// - Throws: `CocoaError` with the code `fileReadCorruptFile` if the bytes are damaged or end too early, and with the
  ///   code `featureUnsupported` for each algorithm but `zlib`.
  public func decompressed(using algorithm: CompressionAlgorithm) throws -> NSData {
    try transformed(algorithm, compresses: false)
  }

  private func transformed(
    _ algorithm: CompressionAlgorithm, compresses: Bool
  ) throws -> NSData {
    guard algorithm == .zlib else {
      throw CocoaError(
        .featureUnsupported,
        userInfo: [
          NSLocalizedDescriptionKey:
            "Bytes were to be compressed or decompressed as \(algorithm), expected zlib, the only algorithm on Linux."
        ])
    }
    let result = NSMutableData()
    // Safe: the object lives until the call returns, and the call uses it only meanwhile.
    let isWhole: Bool = deflate_transform(
      bytes, length, compresses, Unmanaged.passUnretained(result).toOpaque()
    ) { context, bytes, count in
      guard let context, let bytes else { return false }
      Unmanaged<NSMutableData>.fromOpaque(context).takeUnretainedValue()
        .append(bytes, length: count)
      return true
    }
    guard isWhole else {
      throw CocoaError(
        .fileReadCorruptFile,
        userInfo: [
          NSLocalizedDescriptionKey:
            "The \(length) bytes are no complete DEFLATE stream without a header. The data may be truncated."
        ])
    }
    return result
  }
}

extension NSMutableData {
  /// Compresses the bytes in place. See ``NSData/compressed(using:)``.
  public func compress(using algorithm: CompressionAlgorithm) throws {
    setData(try compressed(using: algorithm) as Data)
  }

  /// Decompresses the bytes in place. See ``NSData/decompressed(using:)``.
  public func decompress(using algorithm: CompressionAlgorithm) throws {
    setData(try decompressed(using: algorithm) as Data)
  }
}
