import CCrypto
import Foundation
import Testing

@testable import Encryption

/// Tests encrypted files, which cannot be read without their key.
@Suite struct SealedFileTests {
  private func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("EncryptionTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  private static let key = try! EncryptionKey(bytes: Array(0..<32))

  private func sealed(_ bytes: [UInt8], _ key: EncryptionKey = key) throws -> Data {
    var data = Data()
    var rest: ArraySlice<UInt8> = bytes[...]
    try SealedFile.write(
      count: bytes.count, key: key,
      next: { limit in
        defer { rest = rest.dropFirst(limit) }
        return Array(rest.prefix(limit))
      }, write: { data.append(contentsOf: $0) })
    return data
  }

  private func opened(_ data: Data, _ key: EncryptionKey = key) throws -> [UInt8] {
    try withFolder { folder in
      let url: URL = folder.appendingPathComponent("sealed")
      try data.write(to: url)
      let file = try SealedFile(contentsOf: url)
      var bytes = [UInt8](repeating: 0xAA, count: max(file.count, 1))
      try bytes.withUnsafeMutableBytes { try file.open(with: key, into: $0.baseAddress!) }
      return Array(bytes.prefix(file.count))
    }
  }

  @Test(
    "Decryption restores the encrypted bytes",
    arguments: [0, 1, 1 << 20, (1 << 20) + 1, 5 * (1 << 20) - 3])
  func roundTrip(count: Int) throws {
    let bytes: [UInt8] = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let data: Data = try sealed(bytes)
    #expect(try opened(data) == bytes)
    // Encrypting the same bytes twice gives different data, and never the plaintext.
    #expect(try sealed(bytes) != data)
    if count > 64 { #expect(data.range(of: Data(bytes.prefix(64))) == nil) }
  }

  @Test("AES-256-GCM matches NIST's test vectors")
  func knownAnswer() throws {
    // Test case 14 of McGrew and Viega's submission to NIST: a key and a nonce of zeros, and 16 plaintext bytes of
    // zeros.
    var output = [UInt8](repeating: 0, count: 16)
    var tag = [UInt8](repeating: 0, count: 16)
    let zeros = [UInt8](repeating: 0, count: 32)
    try #require(ccrypto_seal(zeros, zeros, zeros, 0, zeros, 16, &output, &tag) == 0)
    #expect(hexadecimal(output) == "cea7403d4d606b6e074ec5d3baf39d18")
    #expect(hexadecimal(tag) == "d0d1c8a799996bf0265b98b5d48ab919")
  }

  @Test("Keys are derived as RFC 5869 specifies")
  func derivation() throws {
    // This is the first test case of RFC 5869 (HKDF). It has 42 bytes of output. The test compares the first 32 of
    // them.
    let key = [UInt8](repeating: 0x0B, count: 22)
    let salt: [UInt8] = Array(0...12)
    let purpose: [UInt8] = (0xF0...0xF9).map { UInt8($0) }
    var found = [UInt8](repeating: 0, count: 32)
    try #require(
      ccrypto_derive(key, key.count, salt, salt.count, purpose, purpose.count, &found) == 0)
    #expect(
      hexadecimal(found)
        == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
  }

  @Test("Every changed byte is refused")
  func changes() throws {
    let data: Data = try sealed((0..<200).map { UInt8($0) })
    for position in data.indices {
      var changed: Data = data
      changed[position] ^= 1 << UInt8(position % 8)
      #expect(throws: EncryptionError.self, "byte \(position)") { try opened(changed) }
    }
  }

  @Test("Chunks that are exchanged, omitted or from another file are refused")
  func chunks() throws {
    let bytes = [UInt8](repeating: 7, count: 3 << 20)
    let (first, second) = (try sealed(bytes), try sealed(bytes))
    let size: Int = (1 << 20) + 16
    let start: Int = SealedFile.headerCount
    func chunk(_ data: Data, _ number: Int) -> Data {
      data[(start + number * size)..<(start + (number + 1) * size)]
    }
    let header: Data = first.prefix(start)
    for parts in [
      [chunk(first, 1), chunk(first, 0), chunk(first, 2)],
      [chunk(first, 0), chunk(second, 1), chunk(first, 2)],
      [chunk(first, 0), chunk(first, 2)], [chunk(first, 0), chunk(first, 1)],
    ] {
      #expect(throws: EncryptionError.self) { try opened(parts.reduce(header, +)) }
    }
    #expect(throws: EncryptionError.self) { try opened(first.dropLast()) }
    #expect(throws: EncryptionError.self) { try opened(first + Data([0])) }
  }

  @Test("A wrong key is refused by its name")
  func otherKey() throws {
    let other = try EncryptionKey(bytes: Array(1...32))
    let error: EncryptionError? = #expect(throws: EncryptionError.self) {
      try opened(try sealed([1, 2, 3]), other)
    }
    #expect(error?.code == .otherKey)
    #expect(
      error?.description.contains(
        "needs the key \(Self.key.identifier), but the given key is \(other.identifier)") == true)
  }

  @Test("A key file is readable by its owner only, and never overwritten")
  func keyFile() throws {
    try withFolder { folder in
      let path: String = folder.path + "/a.key"
      let key = try EncryptionKey.random()
      try key.write(toFile: path)
      #expect(try EncryptionKey(contentsOfFile: path) == key)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(throws: EncryptionError.self) { try key.write(toFile: path) }
      try Data("0123".utf8).write(to: URL(fileURLWithPath: path))
      let error: EncryptionError? = #expect(throws: EncryptionError.self) {
        try EncryptionKey(contentsOfFile: path)
      }
      #expect(error?.description.contains("expected 64 hexadecimal digits") == true)
    }
  }

  @Test(
    "A key that others may read is refused, as in ssh", arguments: [0o644, 0o640, 0o604])
  func openKey(_ mode: Int) throws {
    try withFolder { folder in
      let path: String = folder.path + "/a.key"
      try EncryptionKey.random().write(toFile: path)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let error: EncryptionError? = #expect(throws: EncryptionError.self) {
        try EncryptionKey(contentsOfFile: path)
      }
      #expect(
        error?.description.contains(
          "' (its mode is 0\(String(mode, radix: 8)))") == true)
      #expect(error?.description.contains("chmod 600") == true)
    }
  }

  @Test("A failure to write a key is reported with the system's message")
  func unwritable() throws {
    try withFolder { folder in
      let path: String = folder.path + "/no/a.key"
      let error: EncryptionError? = #expect(throws: EncryptionError.self) {
        try EncryptionKey.random().write(toFile: path)
      }
      #expect(error?.description.contains("cannot be written (No such file or directory)") == true)
    }
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
