/// Damages a file as a bad disk or a bad person may.
package struct Mutator {
  private let original: [UInt8]
  /// Where tags, lengths, numbers and names lie: all but the insides of weights.
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

  /// One to three damages of all kinds; half of the places are where they hurt most. Every second
  /// file is whole but for what its numbers mean.
  package func mutation(seed: UInt64) -> [UInt8] {
    var generator = SplitMix(state: seed)
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
      let place: Int = Bool.random(using: &generator) ? min(aimed, bytes.count - 1) : anywhere
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: bytes.removeSubrange(place...)
      case 1, 2: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 3: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 4: bytes.replaceSubrange(place...place, with: [0xFF, 0xFF, 0xFF, 0xFF, 0x07])
      case 5:
        bytes.replaceSubrange(place...place, with: [UInt8](repeating: 0xFF, count: 9) + [0x01])
      case 6: bytes[place] = bytes[place] &+ 1
      default:
        let end = min(bytes.count - 1, place + Int.random(in: 0..<200, using: &generator))
        bytes.insert(contentsOf: Array(bytes[place...end]), at: place)
      }
    }
    return bytes
  }

  /// Adds the places of a message's fields; false where the bytes are no message.
  private static func walk(_ bytes: [UInt8], _ range: Range<Int>, _ places: inout [Int]) -> Bool {
    var found: [Int] = []
    var place: Int = range.lowerBound
    func number() -> Int? {
      var value = 0
      for shift in stride(from: 0, to: 63, by: 7) {
        guard place < range.upperBound else { return nil }
        found.append(place)
        value |= Int(bytes[place] & 0x7F) << shift
        place += 1
        if bytes[place - 1] < 0x80 { return value }
      }
      return nil
    }
    while place < range.upperBound {
      guard let tag = number(), tag >= 8, tag < 1 << 16 else { return false }
      switch tag & 7 {
      case 0: guard number() != nil else { return false }
      case 1, 5:
        let size: Int = tag & 7 == 1 ? 8 : 4
        guard place + size <= range.upperBound else { return false }
        found += Array(place..<place + size)
        place += size
      case 2:
        guard let length = number(), length >= 0, length <= range.upperBound - place else {
          return false
        }
        let inside: Range<Int> = place..<place + length
        if !walk(bytes, inside, &found), length <= 64 { found += Array(inside) }
        place += length
      default: return false
      }
    }
    places += found
    return true
  }
}

/// Numbers that are the same on every machine.
package struct SplitMix: RandomNumberGenerator {
  package var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed: UInt64 = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
