import CCrypto
import Foundation
import Platform

/// An encrypted and authenticated file: AES-256-GCM in chunks. Without the key, nobody can read the file, and a reader
/// detects every change.
///
/// The format, with little-endian numbers:
///
/// | bytes | |
/// |---|---|
/// | 8 | `ATELSEAL` |
/// | 16 | the key's identifier, as text |
/// | 32 | salt, from which the key of this file is derived (HKDF with SHA-256) |
/// | 4 | the size of a chunk |
/// | 8 | the number of plain bytes |
/// | | the chunks, each encrypted and followed by its tag of 16 bytes |
///
/// A chunk's nonce contains the number of the chunk, and whether the chunk is the last one. The header is authenticated
/// with each chunk. So a reader notices if chunks were changed, exchanged, removed or taken from another file.
///
/// **Source:** NIST SP 800-38D (GCM); Hoang, Reyhanitabar, Rogaway and Vizár, “Online
/// Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance” (2015), section 7 (STREAM).
public struct SealedFile: Sendable {
  static let magic: [UInt8] = Array("ATELSEAL".utf8)
  static let headerCount = 68
  static let tagCount = Int(CCRYPTO_TAG)
  /// The size of a chunk in new files.
  static let chunkCount = 1 << 20
  private static let purpose = "atelier sealed file 1"

  /// The identifier of the key that the file was encrypted with.
  public let keyIdentifier: String
  /// The number of plain bytes.
  public let count: Int
  private let header: [UInt8]
  private let chunk: Int
  private let bytes: Data
  private let name: String

  // MARK: Writing

  /// Encrypts the bytes that `next` returns piece by piece, and passes the result to `write`.
  ///
  /// - Parameters:
  ///   - count: The total number of bytes.
  ///   - next: Returns the next `limit` bytes, or fewer at the end.
  public static func write(
    count: Int, key: EncryptionKey, next: (_ limit: Int) throws -> [UInt8],
    write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let salt: [UInt8] = try EncryptionKey.randomBytes(32)
    var header: [UInt8] = magic + Array(key.identifier.utf8) + salt
    withUnsafeBytes(of: UInt32(chunkCount).littleEndian) { header += Array($0) }
    withUnsafeBytes(of: UInt64(count).littleEndian) { header += Array($0) }
    let fileKey: [UInt8] = try EncryptionKey.derived(
      from: key.bytes, salt: salt, purpose: purpose)
    try header.withUnsafeBytes { try write($0) }
    let chunks: Int = Self.chunks(of: count, chunk: chunkCount)
    for number in 0..<chunks {
      let plain: [UInt8] = try next(chunkCount)
      let expected: Int = number == chunks - 1 ? count - number * chunkCount : chunkCount
      precondition(plain.count == expected, "the pieces have as many bytes as `count` says")
      var sealed = [UInt8](repeating: 0, count: plain.count + tagCount)
      var tag = [UInt8](repeating: 0, count: tagCount)
      let status: Int32 = ccrypto_seal(
        fileKey, nonce(number, isLast: number == chunks - 1), header, header.count, plain,
        plain.count, &sealed, &tag)
      guard status == 0 else {
        throw EncryptionError(.failed, "libcrypto could not encrypt.")
      }
      sealed.replaceSubrange(plain.count..., with: tag)
      try sealed.withUnsafeBytes { try write($0) }
    }
  }

  /// Returns the number of chunks for `count` plain bytes. An empty file has one chunk, because even an empty file
  /// needs a tag.
  private static func chunks(of count: Int, chunk: Int) -> Int {
    max(1, count / chunk + (count % chunk > 0 ? 1 : 0))
  }

  private static func nonce(_ number: Int, isLast: Bool) -> [UInt8] {
    withUnsafeBytes(of: UInt64(number).littleEndian) { Array($0) } + [0, 0, 0, isLast ? 1 : 0]
  }

  // MARK: Reading

  /// Opens a file and reads its header. ``open(with:into:)`` authenticates the header later.
  public init(contentsOf url: URL) throws {
    let name = "'\(url.lastPathComponent)'"
    let bytes: Data
    do {
      bytes = try Data(contentsOf: url, options: .alwaysMapped)
    } catch {
      throw EncryptionError(
        .failed, "The encrypted file \(name) cannot be read (\(ErrorSentence.reason(of: error))).")
    }
    let header: [UInt8] = Array(bytes.prefix(Self.headerCount))
    guard bytes.count >= Self.headerCount + Self.tagCount, header.starts(with: Self.magic) else {
      throw Self.damaged(name)
    }
    let chunk: Int = (0..<4).reduce(0) { $0 | Int(header[56 + $1]) << (8 * $1) }
    let claimed: UInt64 = (0..<8).reduce(0) { $0 | UInt64(header[60 + $1]) << (8 * UInt64($1)) }
    guard (4096...(1 << 26)).contains(chunk), claimed < UInt64(bytes.count) else {
      throw Self.damaged(name)
    }
    let count = Int(claimed)
    let tags: Int = Self.chunks(of: count, chunk: chunk) * Self.tagCount
    guard bytes.count == Self.headerCount + count + tags else { throw Self.damaged(name) }
    keyIdentifier = String(decoding: header[8..<24], as: UTF8.self)
    self.name = name
    self.bytes = bytes
    self.header = header
    self.chunk = chunk
    self.count = count
  }

  /// Decrypts everything into memory of ``count`` bytes, on several cores.
  ///
  /// - Throws: `EncryptionError` if the file was encrypted with another key, or if a byte of the file was changed. The
  ///   caller must then not use the decrypted bytes.
  public func open(with key: EncryptionKey, into memory: UnsafeMutableRawPointer) throws {
    guard key.identifier == keyIdentifier else {
      throw EncryptionError(
        .otherKey,
        "The encrypted file \(name) needs the key \(Self.printable(keyIdentifier)), but the given"
          + " key is \(key.identifier). Give the key with which it was encrypted.")
    }
    let fileKey: [UInt8] = try EncryptionKey.derived(
      from: key.bytes, salt: Array(header[24..<56]), purpose: Self.purpose)
    let chunks: Int = Self.chunks(of: count, chunk: chunk)
    // Safe: each of the calls below writes a different chunk, and all of them end before this function returns.
    nonisolated(unsafe) let target: UnsafeMutableRawPointer = memory
    let failures = Failures()
    bytes.withUnsafeBytes { (file: UnsafeRawBufferPointer) in
      guard let base = file.baseAddress else { return }
      nonisolated(unsafe) let source: UnsafeRawPointer = base + Self.headerCount
      performConcurrently(chunks) { number in
        let isLast: Bool = number == chunks - 1
        let size: Int = isLast ? count - number * chunk : chunk
        // Safe: the chunk is within the file, because the file's size was compared with the header.
        let sealed = (source + number * (chunk + Self.tagCount)).assumingMemoryBound(
          to: UInt8.self)
        let status: Int32 = ccrypto_open(
          fileKey, Self.nonce(number, isLast: isLast), header, header.count, sealed, size,
          sealed + size, (target + number * chunk).assumingMemoryBound(to: UInt8.self))
        if status != 0 { failures.add(status) }
      }
    }
    switch failures.worst {
    case 0: return
    case 1: throw Self.damaged(name)
    default: throw EncryptionError(.failed, "libcrypto could not decrypt the file \(name).")
    }
  }

  private static func damaged(_ name: String) -> EncryptionError {
    EncryptionError(
      .damaged,
      "The encrypted file \(name) is damaged or was changed after it was encrypted. Get it again"
        + " from its source.")
  }

  private static func printable(_ text: String) -> String {
    text.unicodeScalars.allSatisfy { $0.properties.isASCIIHexDigit }
      ? text : "with an unreadable identifier"
  }

  /// Collects the worst status of all chunks.
  private final class Failures: Sendable {
    private let status = Locked<Int32>(0)

    func add(_ new: Int32) {
      status.withLock { if $0 != -1 { $0 = new } }
    }

    var worst: Int32 { status.withLock { $0 } }
  }
}
