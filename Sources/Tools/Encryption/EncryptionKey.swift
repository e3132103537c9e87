import CCrypto
import Foundation
import Glibc

/// A key of 256 bits. Its file holds 64 hexadecimal digits and is for its owner alone.
public struct EncryptionKey: Sendable, Equatable {
  /// How many bytes a key has.
  public static let byteCount = Int(CCRYPTO_KEY)

  let bytes: [UInt8]

  /// What files name the key by: 16 hexadecimal digits, which do not tell the key.
  public let identifier: String

  /// A key of 32 bytes.
  public init(bytes: [UInt8]) throws {
    guard bytes.count == Self.byteCount else {
      throw EncryptionError(
        .badKey, "A key has \(bytes.count) bytes, expected \(Self.byteCount).")
    }
    self.bytes = bytes
    identifier = Self.hexadecimal(
      try Self.derived(from: bytes, salt: [], purpose: "atelier key identifier").prefix(8))
  }

  /// A key that nobody can guess.
  public static func random() throws -> EncryptionKey {
    try EncryptionKey(bytes: randomBytes(byteCount))
  }

  /// Reads a key's file.
  ///
  /// - Throws: `EncryptionError`, also where the file is this user's and others may read it.
  public init(contentsOfFile path: String) throws {
    var state = stat()
    if stat(path, &state) == 0, state.st_mode & S_IFMT == S_IFREG, state.st_uid == getuid(),
      state.st_mode & 0o077 != 0
    {
      throw EncryptionError(
        .badKey,
        "The key '\(path)' may be read by others (its mode is"
          + " 0\(String(state.st_mode & 0o777, radix: 8))). Allow it to yourself alone: chmod 600 FILE."
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
        "The key '\(path)' is none: expected \(2 * Self.byteCount) hexadecimal digits.")
    }
    try self.init(
      bytes: stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  /// Writes a new file that its owner alone may read; one that is there is left as it is.
  public func write(toFile path: String) throws {
    let descriptor: Int32 = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let isThere: Bool = errno == EEXIST
      throw EncryptionError(
        .badKey,
        isThere
          ? "The key '\(path)' is there already and is not written over: what it encrypted would be"
            + " lost. Use it, or choose another name."
          : "The key '\(path)' cannot be written (\(String(cString: strerror(errno)))).")
    }
    let text: [UInt8] = Array((Self.hexadecimal(bytes[...]) + "\n").utf8)
    // A few bytes are written at once or not at all.
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

  /// A key for one purpose and salt, from which the others cannot be computed. **Source:** RFC 5869.
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
