import Foundation
import Imaging

/// Reads the metadata of a JPEG from the segments before its pixels.
///
/// **Source:** ITU T.81, B.1; CIPA DC-008, 4.5.4; ICC.1:2022, B.4; XMP specification part 3, 1.1.3; JFIF 1.02.
enum JPEGSegments {
  static func metadata(_ bytes: UnsafeRawBufferPointer) -> EmbeddedMetadata {
    var metadata = EmbeddedMetadata()
    var profile: [Int: Data] = [:]
    var photoshop = Data()
    forEach(in: bytes) { marker, content in
      func rest(after name: String) -> Data? {
        let letters: [UInt8] = Array((name + "\0").utf8)
        guard content.starts(with: letters) else { return nil }
        return Data(content.dropFirst(letters.count))
      }
      switch marker {
      case 0xE0:
        if let header = rest(after: "JFIF") { metadata.resolution = resolution(header) }
      case 0xE1:
        if metadata.exif == nil, let exif = rest(after: "Exif\0") {
          metadata.exif = exif
        } else if metadata.xmp == nil, let xmp = rest(after: "http://ns.adobe.com/xap/1.0/") {
          metadata.xmp = xmp
        }
      case 0xE2:
        if let part = rest(after: "ICC_PROFILE"), part.count > 2 {
          profile[Int(part[part.startIndex])] = Data(part.dropFirst(2))
        }
      case 0xED:
        if let part = rest(after: "Photoshop 3.0") { photoshop += part }
      default: break
      }
    }
    if !profile.isEmpty {
      metadata.profile = profile.sorted { $0.key < $1.key }.reduce(Data()) { $0 + $1.value }
    }
    if !photoshop.isEmpty { metadata.iptc = photoshop }
    return metadata
  }

  private static func resolution(_ header: Data) -> PictureResolution? {
    let bytes: [UInt8] = Array(header)
    guard bytes.count >= 7, bytes[2] == 1 || bytes[2] == 2 else { return nil }
    let across: Int = Int(bytes[3]) << 8 | Int(bytes[4])
    let down: Int = Int(bytes[5]) << 8 | Int(bytes[6])
    guard across > 1, down > 1 else { return nil }
    let length: Double = bytes[2] == 1 ? 25.4 : 10
    return PictureResolution(
      horizontal: Double(across) / length, vertical: Double(down) / length)
  }

  /// Calls the closure with the marker and the content of every segment before the pixels.
  private static func forEach(
    in bytes: UnsafeRawBufferPointer, _ body: (UInt8, Slice<UnsafeRawBufferPointer>) -> Void
  ) {
    var place: Int = 2
    while place + 4 <= bytes.count, bytes[place] == 0xFF {
      let marker: UInt8 = bytes[place + 1]
      if marker == 0xFF {
        place += 1
        continue
      }
      guard marker != 0xDA, marker != 0xD9 else { return }
      let size: Int = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      guard size >= 2, place + 2 + size <= bytes.count else { return }
      body(marker, bytes[(place + 4)..<(place + 2 + size)])
      place += 2 + size
    }
  }
}
