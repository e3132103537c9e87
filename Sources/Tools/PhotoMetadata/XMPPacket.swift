import Foundation
import Imaging

/// An XMP packet, edited as text. Properties are found by the namespace prefixes that the standard proposes and all
/// known programs use.
///
/// **Source:** Adobe, “XMP specification part 1” (2012), 7 and C; IPTC photo metadata standard 2022.1.
struct XMPPacket {
  private var text: [UInt8]

  /// Takes a packet in UTF-8. Nil if it is in another encoding, or has no RDF.
  init?(_ data: Data) {
    text = Array(data)
    guard find("</rdf:RDF>") != nil, text.count <= 1 << 24 else { return nil }
  }

  var data: Data { Data(text) }

  /// Adapts the packet to a painting of the given size. Removes the thumbnail, because it would show the photo.
  mutating func describe(_ size: PictureSize) {
    setValue(of: "tiff:Orientation", to: "1")
    for name in ["tiff:ImageWidth", "exif:PixelXDimension"] {
      setValue(of: name, to: "\(size.width)")
    }
    for name in ["tiff:ImageLength", "exif:PixelYDimension"] {
      setValue(of: name, to: "\(size.height)")
    }
    // A large packet has an extension in other segments. These segments are left out, and so is the reference to them.
    for name in ["xmp:Thumbnails", "xmpNote:HasExtendedXMP", "atelier:painter"] {
      removeProperties(beginningWith: name)
    }
  }

  /// Removes the place where the photo was taken.
  mutating func removeLocation() {
    for name in [
      "exif:GPS", "photoshop:City", "photoshop:State", "photoshop:Country",
      "Iptc4xmpCore:Location", "Iptc4xmpCore:CountryCode", "Iptc4xmpExt:LocationShown",
      "Iptc4xmpExt:LocationCreated",
    ] {
      removeProperties(beginningWith: name)
    }
  }

  /// Adds the entry that says that Atelier painted the picture.
  mutating func add(_ origin: PictureOrigin) {
    guard let end = find("</rdf:RDF>") else { return }
    text.insert(contentsOf: Array((origin.element + "\n").utf8), at: end)
  }

  /// Removes the white space that the packet reserves for later changes.
  mutating func removePadding() {
    guard let end = find("<?xpacket end=") else { return }
    var start: Int = end
    while start > 0, [0x20, 0x0A, 0x0D, 0x09].contains(text[start - 1]) { start -= 1 }
    text.replaceSubrange(start..<end, with: [0x0A])
  }

  // MARK: Text

  private func find(_ word: String, from start: Int = 0) -> Int? {
    let letters: [UInt8] = Array(word.utf8)
    guard let first = letters.first, text.count >= letters.count else { return nil }
    var place: Int = start
    while place <= text.count - letters.count {
      if text[place] == first, text[place..<place + letters.count].elementsEqual(letters) {
        return place
      }
      place += 1
    }
    return nil
  }

  /// Replaces the value of a property, as an attribute or as an element.
  private mutating func setValue(of name: String, to value: String) {
    var start: Int = 0
    while let place = find(name, from: start) {
      start = place + name.utf8.count
      guard start + 1 < text.count else { return }
      let close: [UInt8]
      var from: Int = start + 1
      if text[start] == 0x3E {
        close = [0x3C]
      } else if text[start] == 0x3D, text[start + 1] == 0x22 || text[start + 1] == 0x27 {
        close = [text[start + 1]]
        from += 1
      } else {
        continue
      }
      guard let end = text[from...].firstIndex(where: { close.contains($0) }) else { return }
      guard place > 0, text[place - 1] != 0x2F else { continue }
      text.replaceSubrange(from..<end, with: Array(value.utf8))
    }
  }

  /// Removes the properties whose names begin with some text, as attributes and as elements.
  private mutating func removeProperties(beginningWith name: String) {
    var start: Int = 1
    while let place = find(name, from: start) {
      start = place + 1
      let isElement: Bool = text[place - 1] == 0x3C
      guard
        let after = text[place...].firstIndex(where: {
          [0x20, 0x09, 0x0A, 0x0D, 0x3D, 0x3E, 0x2F].contains($0)
        })
      else { return }
      if isElement {
        guard let end = endOfElement(at: place - 1, name: Array(text[place..<after])) else {
          continue
        }
        text.removeSubrange((place - 1)..<end)
      } else if text[after] == 0x3D, after + 1 < text.count,
        [0x20, 0x09, 0x0A, 0x0D].contains(text[place - 1])
      {
        let quote: UInt8 = text[after + 1]
        guard quote == 0x22 || quote == 0x27,
          let end = text[(after + 2)...].firstIndex(of: quote)
        else { continue }
        text.removeSubrange((place - 1)...end)
      } else {
        continue
      }
      start = max(1, place - 1)
    }
  }

  /// Returns the position after an element: after its own tag if it has no content, else after its end tag.
  private func endOfElement(at place: Int, name: [UInt8]) -> Int? {
    guard let close = text[place...].firstIndex(of: 0x3E) else { return nil }
    if text[close - 1] == 0x2F { return close + 1 }
    let tag: String = "</" + String(decoding: name, as: UTF8.self) + ">"
    return find(tag, from: close).map { $0 + tag.utf8.count }
  }
}
