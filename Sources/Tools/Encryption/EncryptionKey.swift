import CCrypto
import Foundation
import Glibc

/// A key of 256 bits. The key's file contains 64 hexadecimal digits, and only the owner of the file can read it.
public struct EncryptionKey: Sendable, Equatable {
  /// How many bytes a key has.
  public static let byteCount = Int(CCRYPTO_KEY)

  let bytes: [UInt8]

  /// The identifier by which encrypted files name the key: 16 hexadecimal digits. Nobody can compute the key from the
  /// identifier.
  public let identifier: String

  /// Creates a key of 32 bytes.
  public init(bytes: [UInt8]) throws {
    guard bytes.count == Self.byteCount else {
      throw EncryptionError(
        .badKey, "A key has \(bytes.count) bytes, expected \(Self.byteCount).")
    }
    self.bytes = bytes
    identifier = Self.hexadecimal(
      try Self.derived(from: bytes, salt: [], purpose: "atelier key identifier").prefix(8))
  }

  /// Returns a random key.
  public static func random() throws -> EncryptionKey {
    try EncryptionKey(bytes: randomBytes(byteCount))
  }

  /// Reads a key's file.
  ///
  /// - Throws: `EncryptionError` if the file cannot be read or does not contain a key. Also if the file belongs to this
  ///   user and other users can read it.
  public init(contentsOfFile path: String) throws {
    var state = stat()
    if stat(path, &state) == 0, state.st_mode & S_IFMT == S_IFREG, state.st_uid == getuid(),
      state.st_mode & 0o077 != 0
    {
      throw EncryptionError(
        .badKey,
        "Other users can read the key '\(path)' (its mode is"
          + " 0\(String(state.st_mode & 0o777, radix: 8))). Allow only yourself: chmod 600 FILE."
      )
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw EncryptionError(
        .badKey,
        "The key '\(path)' cannot be read. Check the path, or make one:"
          + " atelier encrypt … --new-key FILE.")
    }
    let text: String = String(decoding: data.prefix(4096), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let digits: [UInt8] = text.unicodeScalars.compactMap {
      $0.properties.isASCIIHexDigit ? UInt8(String($0), radix: 16) : nil
    }
    guard text.count == 2 * Self.byteCount, digits.count == text.count else {
      throw EncryptionError(
        .badKey,
        "The file '\(path)' is not a key, expected \(2 * Self.byteCount) hexadecimal digits.")
    }
    try self.init(
      bytes: stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  /// Writes the key to a new file that only its owner can read. Throws if the file exists.
  public func write(toFile path: String) throws {
    let descriptor: Int32 = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let isThere: Bool = errno == EEXIST
      throw EncryptionError(
        .badKey,
        isThere
          ? "The key '\(path)' exists already and is not replaced, because everything that it"
            + " encrypted would be lost. Use it, or choose another name."
          : "The key '\(path)' cannot be written (\(String(cString: strerror(errno)))).")
    }
    let text: [UInt8] = Array((Self.hexadecimal(bytes[...]) + "\n").utf8)
    // The system writes either all of these few bytes or none.
    let isWritten: Bool =
      text.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
      && fsync(descriptor) == 0
    let code: Int32 = errno
    close(descriptor)
    guard isWritten else {
      unlink(path)
      throw EncryptionError(
        .badKey, "The key '\(path)' cannot be written (\(String(cString: strerror(code)))).")
    }
  }

  /// Derives a key for one purpose and salt (HKDF). Nobody can compute the keys for other purposes or salts from the
  /// derived key.
  /// **Source:** RFC 5869.
  static func derived(from key: [UInt8], salt: [UInt8], purpose: String) throws -> [UInt8] {
    var derived = [UInt8](repeating: 0, count: byteCount)
    let words: [UInt8] = Array(purpose.utf8)
    guard
      ccrypto_derive(key, key.count, salt, salt.count, words, words.count, &derived) == 0
    else { throw EncryptionError(.failed, "libcrypto could not derive a key.") }
    return derived
  }

  static func randomBytes(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard ccrypto_random(&bytes, count) == 0 else {
      throw EncryptionError(.failed, "The system has no random numbers for a key.")
    }
    return bytes
  }

  private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
