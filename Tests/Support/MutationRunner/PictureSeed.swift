import Foundation
import Imaging
import Mutants
import Tensors

/// A small image file that mutants are made from.
struct PictureSeed {
  /// The file extension, which is also the label for statistics.
  let kind: String
  let bytes: [UInt8]

  /// One file of each format that we write, and the files in ``SmallPictures``.
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

  /// Applies one to four changes. Half of the changes are in the first 128 bytes, which contain the image size. The
  /// other changes may be anywhere in the file.
  func mutant(using generator: inout SplitMix64) -> [UInt8] {
    var result: [UInt8] = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !result.isEmpty {
      let limit: Int = Bool.random(using: &generator) ? min(result.count, 128) : result.count
      let position = Int.random(in: 0..<limit, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: result.removeSubrange(position...)
      case 1, 2: result[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 3: result[position] = [0, 0xFF, 0x7F, 0x80, 1].randomElement(using: &generator) ?? 0
      case 4:
        let end: Int = min(position + 4, result.count)
        let value: UInt8 = Bool.random(using: &generator) ? 0xFF : 0
        result.replaceSubrange(position..<end, with: repeatElement(value, count: end - position))
      case 5:
        let end: Int = min(result.count - 1, position + Int.random(in: 0..<64, using: &generator))
        result.insert(contentsOf: Array(result[position...end]), at: position)
      default: result[position] = UInt8.random(in: 0...255, using: &generator)
      }
    }
    return kind == "png" ? PictureSeed.withRightChecksums(result) : result
  }

  /// Corrects the checksums of a PNG's chunks, so that readers do not stop at a wrong checksum.
  private static func withRightChecksums(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = bytes
    var position = 8
    while position + 12 <= result.count {
      let length: Int = result[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= result.count - position - 12 else { break }
      var sum: UInt32 = .max
      for byte in result[(position + 4)..<(position + 8 + length)] {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
      }
      for index in 0..<4 {
        result[position + 8 + length + index] = UInt8(truncatingIfNeeded: ~sum >> (24 - 8 * index))
      }
      position += 12 + length
    }
    return result
  }
}
