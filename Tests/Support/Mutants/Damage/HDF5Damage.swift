import Tensors

/// Changes the structural fields of HDF5 files.
enum HDF5Damage {
  /// Returns the byte positions at which the signatures of trees, heaps, headers and lists begin.
  private static func marks(in bytes: [UInt8]) -> [Int] {
    let words: [[UInt8]] = ["TREE", "HEAP", "SNOD", "GCOL", "OHDR", "FRHP", "BTHD", "FADB", "FAHD"]
      .map { Array($0.utf8) }
    return bytes.indices.dropLast(4).filter { position in
      (65...90).contains(bytes[position])
        && words.contains { bytes[position..<position + 4].elementsEqual($0) }
    }
  }

  /// Returns the positions of 8-byte values that are small enough to be an address or a length in the file.
  private static func addresses(in bytes: [UInt8]) -> [Int] {
    stride(from: 8, to: bytes.count - 8, by: 4).filter { position in
      let value: Int = (0..<6).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
      return bytes[position + 6] == 0 && bytes[position + 7] == 0 && value > 0
        && value < bytes.count
    }
  }

  static func damaged(_ bytes: [UInt8], using generator: inout SplitMix64) -> [UInt8] {
    guard bytes.count > 64 else { return ByteDamage.damaged(bytes, using: &generator) }
    var result: [UInt8] = bytes
    let marks: [Int] = marks(in: bytes)
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: return ByteDamage.damaged(result, using: &generator)
      case 1, 2:
        // Replaces an address or a length by another address or length from the file, or by a number from
        // `ByteDamage.other`.
        let positions: [Int] = addresses(in: result)
        guard let position = positions.randomElement(using: &generator),
          let other = positions.randomElement(using: &generator)
        else { continue }
        if Bool.random(using: &generator) {
          result.replaceSubrange(position..<position + 8, with: result[other..<other + 8])
        } else {
          let old: UInt64 = (0..<8).reduce(0) {
            $0 | UInt64(result[position + $1]) << UInt64(8 * $1)
          }
          let value: UInt64 = ByteDamage.other(than: old, 8, using: &generator)
          result.replaceSubrange(position..<position + 8, with: ByteDamage.little(value, 8))
        }
      case 3, 4:
        guard let mark = marks.randomElement(using: &generator) else { continue }
        let position: Int = mark + Int.random(in: 4..<60, using: &generator)
        guard position < result.count else { continue }
        result[position] = [0, 1, 2, 4, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      case 5:
        // The range contains the superblock and the first header.
        let position = Int.random(in: 8..<min(result.count, 400), using: &generator)
        result[position] = UInt8.random(in: 0...255, using: &generator)
      default: changeText(&result, using: &generator)
      }
    }
    return result
  }

  /// Changes a number or a name in the model configuration inside the file. If this makes the text shorter, pads it
  /// with spaces.
  private static func changeText(_ bytes: inout [UInt8], using generator: inout SplitMix64) {
    let start: [UInt8] = Array("{\"".utf8)
    guard
      let first = bytes.indices.dropLast(2).first(where: { bytes[$0..<$0 + 2].elementsEqual(start) }
      )
    else { return }
    let end: Int = bytes[first...].firstIndex { $0 < 32 } ?? bytes.count
    var text = TokenText(Array(bytes[first..<end]))
    guard let position = text.tokens.indices.randomElement(using: &generator) else { return }
    let old: TokenText.Token = text.tokens[position]
    var new: [UInt8]
    switch old.kind {
    case .number:
      new = Array((TokenText.numbers.randomElement(using: &generator) ?? "0").utf8)
    case .string, .word:
      new =
        text.tokens.filter { $0.kind == old.kind && $0.text.count <= old.text.count }
        .randomElement(using: &generator)?.text ?? old.text
    case .mark: return
    }
    guard new.count <= old.text.count + old.space.count else { return }
    let length: Int = old.text.count + old.space.count
    text.tokens[position].space = []
    new += [UInt8](repeating: 32, count: length - new.count)
    text.tokens[position].text = new
    bytes.replaceSubrange(first..<end, with: text.bytes)
  }
}
