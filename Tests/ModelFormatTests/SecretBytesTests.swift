import Foundation
import Testing

@testable import ModelFormat

@Suite("Decrypted memory")
struct SecretBytesTests {
  /// Returns the flags of the mapping that contains an address, in the abbreviations of the system.
  private func flags(at address: UInt) throws -> [Substring] {
    // Reads through a file handle to the end of the file. Given the path of a file in `/proc`, Foundation reads only
    // the first piece.
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
    let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    var isMeant = false
    for line in text.split(separator: "\n") {
      let range = line.prefix { $0 != " " }.split(separator: "-")
      if range.count == 2, let first = UInt(range[0], radix: 16),
        let end = UInt(range[1], radix: 16)
      {
        isMeant = first <= address && address < end
      } else if isMeant, line.hasPrefix("VmFlags:") {
        return line.split(separator: " ").dropFirst().map { $0 }
      }
    }
    return []
  }

  @Test("Decrypted bytes are excluded from core dumps")
  func noDump() throws {
    var address: UInt = 0
    let bytes = try ByteValues(secret: 3 << 20) { memory in
      memory.storeBytes(of: 7, as: UInt8.self)
      address = UInt(bitPattern: memory)
    }
    #expect(bytes.count == 3 << 20)
    #expect(bytes[0] == 7)
    let found: [Substring] = try flags(at: address)
    #expect(found.contains("dd"), "\(found)")
    let empty = try ByteValues(secret: 0) { _ in }
    #expect(empty.isEmpty)
    withExtendedLifetime(bytes) {}
  }
}
