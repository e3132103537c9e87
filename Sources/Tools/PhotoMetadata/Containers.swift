import Foundation

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
