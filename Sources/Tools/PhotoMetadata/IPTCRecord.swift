import Foundation

/// The IPTC data of a photo, and the other resources of a Photoshop segment that state the copyright.
///
/// **Source:** IPTC-NAA Information Interchange Model 4.2, 3; Adobe, “Photoshop file formats specification” (2019),
/// image resource blocks.
struct IPTCRecord {
  private static let record = 0x0404
  private static let digest = 0x0425
  /// The resources that are kept: the record, the copyright flag, the URL, and the digest of the record.
  private static let kept: Set<Int> = [record, 0x040A, 0x040B, digest]
  /// The datasets of record 2 that name a place: content location, city, sublocation, state, country.
  private static let places: Set<UInt8> = [26, 27, 90, 92, 95, 100, 101]

  private var resources: [(number: Int, content: [UInt8])] = []

  /// Takes the content of a Photoshop segment, with or without its name, or a record alone. Nil for other data.
  init?(_ data: Data) {
    var bytes: [UInt8] = Array(data)
    let name: [UInt8] = Array("Photoshop 3.0\0".utf8)
    if bytes.starts(with: name) { bytes.removeFirst(name.count) }
    if bytes.first == 0x1C {
      resources = [(Self.record, bytes)]
      return
    }
    var place: Int = 0
    while place + 12 <= bytes.count, bytes[place..<place + 4].elementsEqual("8BIM".utf8) {
      let number: Int = Int(bytes[place + 4]) << 8 | Int(bytes[place + 5])
      let title: Int = (Int(bytes[place + 6]) + 2) / 2 * 2
      let start: Int = place + 6 + title + 4
      guard start <= bytes.count else { break }
      let size: Int = bytes[(start - 4)..<start].reduce(0) { $0 << 8 | Int($1) }
      guard size <= bytes.count - start else { break }
      if Self.kept.contains(number) {
        resources.append((number, Array(bytes[start..<start + size])))
      }
      place = start + (size + 1) / 2 * 2
    }
    guard resources.contains(where: { $0.number == Self.record }) else { return nil }
  }

  /// The content of a Photoshop segment without its name.
  var segment: Data {
    var result: [UInt8] = []
    for (number, content) in resources {
      result += Array("8BIM".utf8) + [UInt8(number >> 8), UInt8(number & 255), 0, 0]
      result += ByteOrder.bytes(content.count, 4, isBig: true) + content
      if content.count % 2 != 0 { result.append(0) }
    }
    return Data(result)
  }

  /// The record alone.
  var record: Data? {
    resources.first { $0.number == Self.record }.map { Data($0.content) }
  }

  /// Removes the datasets that name a place.
  mutating func removeLocation() {
    resources.removeAll { $0.number == Self.digest }
    for index in resources.indices where resources[index].number == Self.record {
      resources[index].content = Self.withoutPlaces(resources[index].content)
    }
  }

  private static func withoutPlaces(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var place: Int = 0
    while place + 5 <= bytes.count, bytes[place] == 0x1C {
      var size: Int = Int(bytes[place + 3]) << 8 | Int(bytes[place + 4])
      var start: Int = place + 5
      if size >= 0x8000 {
        // A dataset of more than 32,767 bytes: the lower 15 bits are the length of the size field that follows.
        let length: Int = size & 0x7FFF
        guard length <= 4, start + length <= bytes.count else { break }
        size = bytes[start..<(start + length)].reduce(0) { $0 << 8 | Int($1) }
        start += length
      }
      guard size <= bytes.count - start else { break }
      let end: Int = start + size
      if bytes[place + 1] != 2 || !places.contains(bytes[place + 2]) {
        result += bytes[place..<end]
      }
      place = end
    }
    // Bytes after the last readable dataset could name a place.
    return result
  }
}
