/// The numbers of a tensor in few bits.
struct CodedTensor: Sendable {
  /// What the codes mean.
  enum Meaning: Sendable {
    /// `scale · (code − zero)`, one pair per block.
    case linear([LinearScale])
    /// Rising tables, one per block.
    case tables([[Float]])
  }

  /// The width of a code.
  let bits: Int
  /// Whether codes stand on both sides of zero.
  let isSigned: Bool
  /// A code per number, in the order of the numbers; the low bits count.
  var codes: [Int8]
  /// What the codes mean.
  let meaning: Meaning
  /// The numbers of blocks along each axis.
  let blocks: [Int]

  /// Codes of which each block has a scale.
  ///
  /// - Parameter mask: Which numbers count; nil for all.
  init(
    _ values: [Float], linear codes: LinearScale.Codes, _ sharing: WeightGrid.Sharing,
    mask: [Bool]? = nil
  ) {
    let range: ClosedRange<Float> = codes.range
    var made = [Int8](repeating: 0, count: values.count)
    var scales: [LinearScale] = []
    sharing.forEachBlock { places in
      let scale = LinearScale(Self.kept(values, places, mask), codes)
      scales.append(scale)
      for place in places {
        made[place] = Int8(truncatingIfNeeded: Int(scale.code(values[place], range)))
      }
    }
    (bits, isSigned, blocks) = (codes.bits, codes.isSymmetric, sharing.extents)
    (self.codes, meaning) = (made, .linear(scales))
  }

  /// Codes that name the entries of a table, one table per block.
  ///
  /// - Parameter make: The table for a block's numbers, rising.
  init(
    _ values: [Float], bits: Int, _ sharing: WeightGrid.Sharing, mask: [Bool]? = nil,
    table make: ([Float]) -> [Float]
  ) {
    var made = [Int8](repeating: 0, count: values.count)
    var tables: [[Float]] = []
    sharing.forEachBlock { places in
      let table: [Float] = make(Self.kept(values, places, mask))
      tables.append(table)
      for place in places {
        made[place] = Int8(truncatingIfNeeded: table.nearest(to: values[place]))
      }
    }
    (self.bits, isSigned, blocks) = (bits, false, sharing.extents)
    (codes, meaning) = (made, .tables(tables))
  }

  private static func kept(_ values: [Float], _ places: [Int], _ mask: [Bool]?) -> [Float] {
    guard let mask else { return places.map { values[$0] } }
    return places.compactMap { mask[$0] ? values[$0] : nil }
  }

  /// Which numbers are kept when a share of them, those of the least magnitude, becomes zero.
  static func mask(_ values: [Float], sparsity: Double) -> [Bool] {
    let order: [Int] = values.indices.sorted { abs(values[$0]) < abs(values[$1]) }
    var mask = [Bool](repeating: true, count: values.count)
    for place in order.prefix(Int(Double(values.count) * sparsity)) { mask[place] = false }
    return mask
  }

  /// The codes side by side, the first in the highest bits of a byte, as NeuralNetworks keep them.
  func packedFromHighBits() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (codes.count * bits + 7) / 8)
    for (index, code) in codes.enumerated() {
      let number: UInt16 = Self.bits(of: code, bits)
      let place: Int = index * bits
      let shifted: UInt16 = number << UInt16(16 - bits - place % 8)
      bytes[place / 8] |= UInt8(shifted >> 8)
      if place % 8 + bits > 8 { bytes[place / 8 + 1] |= UInt8(truncatingIfNeeded: shifted) }
    }
    return bytes
  }

  /// Codes side by side, the first in the lowest bits of a byte, as weight files of programs keep them.
  static func packedFromLowBits(_ codes: [Int8], bits: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (codes.count * bits + 7) / 8)
    for (index, code) in codes.enumerated() {
      let place: Int = index * bits
      let shifted: UInt16 = Self.bits(of: code, bits) << UInt16(place % 8)
      bytes[place / 8] |= UInt8(truncatingIfNeeded: shifted)
      if place % 8 + bits > 8 { bytes[place / 8 + 1] |= UInt8(shifted >> 8) }
    }
    return bytes
  }

  private static func bits(of code: Int8, _ count: Int) -> UInt16 {
    UInt16(UInt8(bitPattern: code)) & ((1 << UInt16(count)) - 1)
  }
}
