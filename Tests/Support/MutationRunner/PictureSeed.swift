import Foundation
import Imaging
import Mutants

/// A small picture file that mutants are made of.
struct PictureSeed {
  /// The extension of its files, which it is counted under.
  let kind: String
  let bytes: [UInt8]

  /// One of each format: those that we write, and those of ``SmallPictures``.
  static let all: [PictureSeed] = {
    var seeds: [PictureSeed] = []
    let area = 24 * 16
    let picture = try? Picture(
      width: 24, height: 16, pixels: (0..<area * 3).map { UInt8(truncatingIfNeeded: $0 &* 37) },
      alpha: (0..<area).map { UInt8(truncatingIfNeeded: $0) })
    for format in PictureFormat.allCases {
      guard let data = try? picture?.encoded(as: format) else { continue }
      seeds.append(PictureSeed(kind: format.rawValue, bytes: [UInt8](data)))
    }
    for (kind, text) in SmallPictures.all {
      guard let data = Data(base64Encoded: text) else { continue }
      seeds.append(PictureSeed(kind: kind, bytes: [UInt8](data)))
    }
    return seeds
  }()

  /// One to four damages; half of them in the first bytes, where sizes stand.
  func mutant(using generator: inout SplitMix) -> [UInt8] {
    var result: [UInt8] = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !result.isEmpty {
      let limit: Int = Bool.random(using: &generator) ? min(result.count, 128) : result.count
      let place = Int.random(in: 0..<limit, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: result.removeSubrange(place...)
      case 1, 2: result[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 3: result[place] = [0, 0xFF, 0x7F, 0x80, 1].randomElement(using: &generator) ?? 0
      case 4:
        let end: Int = min(place + 4, result.count)
        let value: UInt8 = Bool.random(using: &generator) ? 0xFF : 0
        result.replaceSubrange(place..<end, with: repeatElement(value, count: end - place))
      case 5:
        let end: Int = min(result.count - 1, place + Int.random(in: 0..<64, using: &generator))
        result.insert(contentsOf: Array(result[place...end]), at: place)
      default: result[place] = UInt8.random(in: 0...255, using: &generator)
      }
    }
    return kind == "png" ? PictureSeed.withRightChecksums(result) : result
  }

  /// A PNG whose chunks carry the sums of what is in them, so that readers look inside.
  private static func withRightChecksums(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = bytes
    var place = 8
    while place + 12 <= result.count {
      let length: Int = result[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= result.count - place - 12 else { break }
      var sum: UInt32 = .max
      for byte in result[(place + 4)..<(place + 8 + length)] {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
      }
      for index in 0..<4 {
        result[place + 8 + length + index] = UInt8(truncatingIfNeeded: ~sum >> (24 - 8 * index))
      }
      place += 12 + length
    }
    return result
  }
}
