import Foundation

/// The chunks of a PNG file.
///
/// **Source:** Portable Network Graphics (PNG) Specification (Third Edition), W3C 2025, section 5 and annex D.
public enum PNGChunks {
  /// The first eight bytes of every PNG.
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The bytes of the signature and of the header chunk, `IHDR`.
  private static let headerEnd = 33

  /// Calls the closure with the type and the content of each chunk, until it returns false, or a chunk is incomplete.
  static func forEach(in data: Data, _ body: (_ type: String, _ content: Data) throws -> Bool)
    rethrows
  {
    guard data.starts(with: signature) else { return }
    var place: Int = data.startIndex + signature.count
    while data.endIndex - place >= 12 {
      let size: Int = data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard size <= data.endIndex - place - 12 else { return }
      let type = String(decoding: data[(place + 4)..<(place + 8)], as: UTF8.self)
      guard try body(type, data[(place + 8)..<(place + 8 + size)]) else { return }
      place += 12 + size
    }
  }

  /// Returns the content of the first chunk of a type. Nil if there is none.
  public static func content(of type: String, in data: Data) -> Data? {
    var found: Data?
    forEach(in: data) { name, content in
      if name == type { found = Data(content) }
      return found == nil
    }
    return found
  }

  /// Returns a chunk: its length, type, content and checksum.
  static func chunk(_ type: String, _ content: Data) -> Data {
    let body: Data = Data(type.utf8) + content
    return bigEndian(UInt32(content.count)) + body + bigEndian(checksum(body))
  }

  /// Returns a PNG file with another chunk, after the header.
  public static func adding(_ type: String, _ content: Data, to file: Data) -> Data {
    guard file.starts(with: signature), file.count > headerEnd else { return file }
    return file.prefix(headerEnd) + chunk(type, content) + file.dropFirst(headerEnd)
  }

  /// Returns the bytes of a number, the most significant first.
  static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> Data {
    withUnsafeBytes(of: number.bigEndian) { Data($0) }
  }

  private static let table: [UInt32] = (0..<256).map { number in
    (0..<8).reduce(UInt32(number)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
    }
  }

  /// The cyclic redundancy check.
  private static func checksum(_ bytes: Data) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      ~bytes.reduce(~0) { table[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
    }
  }
}
