import Tensors

/// Damages a file as a failing disk or an attacker may damage it.
package struct Mutator {
  private let original: [UInt8]
  /// The positions of tags, lengths, numbers and names: everything except the contents of weights.
  private let structure: [Int]
  private let tree: WireTree?

  package init(_ original: [UInt8]) {
    self.original = original
    var structure: [Int] = []
    if !Mutator.walk(original, original.startIndex..<original.endIndex, &structure) {
      structure = Array(original.indices)
    }
    self.structure = structure
    tree = WireTree(original[...])
  }

  /// Returns a changed copy of the file. If the seed is even and the file is a protobuf message, one or two fields
  /// change, and the file stays well formed. Otherwise, bytes change at one to three positions. Each position is chosen
  /// at random: with a probability of one half from the structural positions, and otherwise from all positions.
  package func mutation(seed: UInt64) -> [UInt8] {
    var generator = SplitMix64(seed: seed)
    if seed % 2 == 0, var tree {
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        tree.damage(Int.random(in: 0..<max(1, tree.count), using: &generator), using: &generator)
      }
      return tree.bytes
    }
    var bytes: [UInt8] = original
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
      let anywhere = Int.random(in: 0..<bytes.count, using: &generator)
      let aimed: Int = structure.randomElement(using: &generator) ?? anywhere
      let position: Int = Bool.random(using: &generator) ? min(aimed, bytes.count - 1) : anywhere
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: bytes.removeSubrange(position...)
      case 1, 2: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 3: bytes[position] = UInt8.random(in: 0...255, using: &generator)
      case 4: bytes.replaceSubrange(position...position, with: [0xFF, 0xFF, 0xFF, 0xFF, 0x07])
      case 5:
        bytes.replaceSubrange(
          position...position, with: [UInt8](repeating: 0xFF, count: 9) + [0x01])
      case 6: bytes[position] = bytes[position] &+ 1
      default:
        let end = min(bytes.count - 1, position + Int.random(in: 0..<200, using: &generator))
        bytes.insert(contentsOf: Array(bytes[position...end]), at: position)
      }
    }
    return bytes
  }

  /// Adds the positions of a message's fields. Returns false if the bytes are not a message.
  private static func walk(_ bytes: [UInt8], _ range: Range<Int>, _ positions: inout [Int]) -> Bool
  {
    var found: [Int] = []
    var position: Int = range.lowerBound
    func number() -> Int? {
      var value = 0
      for shift in stride(from: 0, to: 63, by: 7) {
        guard position < range.upperBound else { return nil }
        found.append(position)
        value |= Int(bytes[position] & 0x7F) << shift
        position += 1
        if bytes[position - 1] < 0x80 { return value }
      }
      return nil
    }
    while position < range.upperBound {
      guard let tag = number(), tag >= 8, tag < 1 << 16 else { return false }
      switch tag & 7 {
      case 0: guard number() != nil else { return false }
      case 1, 5:
        let size: Int = tag & 7 == 1 ? 8 : 4
        guard position + size <= range.upperBound else { return false }
        found += Array(position..<position + size)
        position += size
      case 2:
        guard let length = number(), length >= 0, length <= range.upperBound - position else {
          return false
        }
        let inside: Range<Int> = position..<position + length
        if !walk(bytes, inside, &found), length <= 64 { found += Array(inside) }
        position += length
      default: return false
      }
    }
    positions += found
    return true
  }
}
