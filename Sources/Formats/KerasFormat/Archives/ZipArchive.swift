import CDeflate
import ModelFormat
import Tensors

/// A ZIP archive: the files in it by their names. What is not packed stays in the mapped file.
///
/// **Source:** APPNOTE.TXT of PKWARE.
package struct ZipArchive {
  private let bytes: ByteValues
  private var entries: [String: Int] = [:]

  /// Reads the list of files.
  ///
  /// - Throws: ``EngineError`` for what is no archive, or is cut off.
  package init(_ bytes: ByteValues) throws {
    self.bytes = bytes
    let mark: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
    let first: Int = max(0, bytes.count - 22 - 65_535)
    guard bytes.count >= 22,
      let end = stride(from: bytes.count - 22, through: first, by: -1).first(where: { place in
        bytes[place] == mark[0] && bytes[place + 1] == mark[1] && bytes[place + 2] == mark[2]
          && bytes[place + 3] == mark[3]
      })
    else { throw Self.damaged("it has no list of its files. It may be cut off") }
    let count: Int = try number(end + 10, 2)
    var place: Int = try number(end + 16, 4)
    for _ in 0..<count {
      guard try number(place, 4) == 0x0201_4B50 else { throw Self.damaged("its list is broken") }
      let length: Int = try number(place + 28, 2)
      let name = String(decoding: try slice(place + 46, length), as: UTF8.self)
      entries[name] = place
      place += 46 + length + (try number(place + 30, 2)) + (try number(place + 32, 2))
    }
  }

  /// The names of the files, as the archive gives them, in order.
  package var names: [String] { entries.keys.sorted() }

  /// The size that a file is claimed to have when it is unpacked, in bytes; nil where there is none of the name.
  package func size(of name: String) throws -> Int? {
    try entries[name].map { try number($0 + 24, 4) }
  }

  /// The bytes of a file in the archive; nil where there is none of the name.
  package func file(_ name: String) throws -> ByteValues? {
    guard let entry = entries[name] else { return nil }
    let (method, packed, size) = (
      try number(entry + 10, 2), try number(entry + 20, 4), try number(entry + 24, 4)
    )
    let start: Int = try number(entry + 42, 4)
    guard packed != 0xFFFF_FFFF, size != 0xFFFF_FFFF, try number(start, 4) == 0x0403_4B50 else {
      throw Self.damaged("the place of '\(name)' is not known, or it is larger than 4 GB")
    }
    let data: ByteValues = try slice(
      start + 30 + (try number(start + 26, 2)) + (try number(start + 28, 2)), packed)
    switch method {
    case 0: return data
    case 8:
      // Deflate makes at most 1,032 bytes of one.
      guard size / 1032 <= packed else {
        throw Self.damaged("'\(name)' claims to be \(size) bytes")
      }
      var made = [UInt8](repeating: 0, count: size)
      let isWhole: Bool = data.withUnsafeBytes { source in
        deflate_unpack(source.baseAddress, source.count, &made, size, false)
      }
      guard isWhole else { throw Self.damaged("'\(name)' cannot be unpacked") }
      return ByteValues(made)
    default: throw Self.damaged("'\(name)' is packed by a method (\(method)) that is not read")
    }
  }

  private func number(_ place: Int, _ count: Int) throws -> Int {
    try slice(place, count).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private func slice(_ place: Int, _ count: Int) throws -> ByteValues {
    guard let slice = bytes.slice(from: place, count: count), slice.count == count else {
      throw Self.damaged(
        "\(count) bytes at \(place) end beyond its \(bytes.count). It may be cut off")
    }
    return slice
  }

  private static func damaged(_ what: String) -> EngineError {
    EngineError(.invalidModel, "the archive is damaged: \(what).")
  }
}
