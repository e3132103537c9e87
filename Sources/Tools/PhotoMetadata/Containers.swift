import Foundation

/// Finds and adds the chunks of PNG files.
///
/// **Source:** W3C, “Portable Network Graphics” third edition, 5.3, 11.3.4.5 (eXIf) and 11.3.6.1 (acTL).
enum PNGChunks {
  static let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Returns the content of the first chunk of the given type. Nil if there is none.
  static func content(of type: String, in data: Data) -> Data? {
    data.withUnsafeBytes { bytes in
      guard bytes.starts(with: start) else { return nil }
      var place: Int = 8
      while place + 12 <= bytes.count {
        let size: Int = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        guard size <= bytes.count - place - 12 else { return nil }
        if bytes[(place + 4)..<(place + 8)].elementsEqual(type.utf8) {
          return Data(bytes[(place + 8)..<(place + 8 + size)])
        }
        place += 12 + size
      }
      return nil
    }
  }

  /// Adds a chunk after the header.
  static func adding(_ type: String, _ content: Data, to file: Data) -> Data {
    guard file.starts(with: start), file.count > 33 else { return file }
    let body: [UInt8] = Array(type.utf8) + Array(content)
    let chunk: [UInt8] =
      ByteOrder.bytes(content.count, 4, isBig: true) + body
      + ByteOrder.bytes(Int(checksum(body)), 4, isBig: true)
    // The signature has 8 bytes, the header chunk 25.
    return file.prefix(33) + chunk + file.dropFirst(33)
  }

  /// The cyclic redundancy check of PNG, annex D.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    let table: [UInt32] = (0..<256).map { number in
      (0..<8).reduce(UInt32(number)) { value, _ in
        value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
      }
    }
    return ~bytes.reduce(~0) { table[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
  }
}

/// Writes EXIF data into a WebP file that has an extended header. libvips writes this header if there is an XMP packet
/// or an animation. It then also writes its own EXIF data, which this type replaces.
///
/// **Source:** Google, “WebP container specification”, extended file format and metadata.
enum WebPChunks {
  static func adding(exif: Data, to file: Data) -> Data {
    let source: [UInt8] = Array(file)
    guard source.count > 30, source[8..<16].elementsEqual("WEBPVP8X".utf8) else { return file }
    var bytes: [UInt8] = Array(source[..<12])
    var place: Int = 12
    while place + 8 <= source.count {
      let size: Int = (0..<4).reduce(0) { $0 | Int(source[place + 4 + $1]) << ($1 * 8) }
      let end: Int = min(source.count, place + 8 + size + size % 2)
      if !source[place..<place + 4].elementsEqual("EXIF".utf8) { bytes += source[place..<end] }
      place = end
    }
    bytes[20] |= 0x08
    bytes += Array("EXIF".utf8) + ByteOrder.bytes(exif.count, 4, isBig: false) + Array(exif)
    if exif.count % 2 != 0 { bytes.append(0) }
    bytes.replaceSubrange(4..<8, with: ByteOrder.bytes(bytes.count - 8, 4, isBig: false))
    return Data(bytes)
  }
}

/// Adds EXIF data and an IPTC record to a TIFF file: merges their tags with those of the first directory, and writes
/// that directory again at the end of the file. libvips 8.14 would store only a quarter of the record.
enum TIFFDirectories {
  private static let iptc = 0x83BB

  static func adding(_ exif: EXIFBlock?, iptc record: Data? = nil, to file: Data) -> Data {
    guard exif != nil || record != nil, let bytes = ByteOrder(Array(file)),
      let position = bytes.firstDirectory, let own = TIFFTags(bytes, at: position)
    else { return file }
    var added = TIFFTags()
    if let (found, isBig) = exif?.tags {
      added = (isBig == bytes.isBig ? found : found.swapped()).describing()
    }
    var tags: TIFFTags = own
    if let record {
      tags.tags.append(
        TIFFTags.Tag(number: iptc, type: 1, count: record.count, value: Array(record)))
    }
    // Keep the resolution and orientation that the file states, because they match its pixels.
    let present = Set(own.tags.map(\.number))
    tags.tags += added.tags.filter { !present.contains($0.number) }
    tags.directories.merge(added.directories) { $1 }
    let padding: [UInt8] = bytes.count % 2 == 0 ? [] : [0]
    let (content, directory) = tags.encoded(
      isBig: bytes.isBig, offset: bytes.count + padding.count)
    var result = ByteOrder(bytes.bytes + padding + content) ?? bytes
    result.set(4, 4, to: directory)
    return Data(result.bytes)
  }
}
