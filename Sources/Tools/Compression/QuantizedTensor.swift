/// A tensor of numbers that are quantised to few bits.
struct QuantizedTensor: Sendable {
  /// How the integers are dequantised.
  enum Meaning: Sendable {
    /// An integer stands for `scale · (integer − zero)`. Each block has its own scale and zero point.
    case linear([LinearScale])
    /// The integers are indices into ascending lookup tables. Each block has its own table.
    case tables([[Float]])
  }

  /// The width of an integer in bits.
  let bits: Int
  /// Whether the integers are signed.
  let isSigned: Bool
  /// One integer per number, in the low ``bits`` bits.
  var integers: [Int8]
  /// How the integers are dequantised.
  let meaning: Meaning
  /// The number of blocks along each axis of the tensor.
  let blocks: [Int]

  /// Quantises numbers with a scale and a zero point per block.
  ///
  /// - Parameter mask: Says of each number whether it counts when the scale and the zero point of its block are chosen.
  ///   Nil if all numbers count.
  init(
    _ values: [Float], linear format: LinearScale.IntegerFormat, _ sharing: WeightGrid.Sharing,
    mask: [Bool]? = nil
  ) {
    let range: ClosedRange<Float> = format.range
    var made = [Int8](repeating: 0, count: values.count)
    var scales: [LinearScale] = []
    sharing.forEachBlock { indices in
      let scale = LinearScale(Self.selected(values, indices, mask), format)
      scales.append(scale)
      for index in indices {
        made[index] = Int8(truncatingIfNeeded: Int(scale.integer(values[index], range)))
      }
    }
    (bits, isSigned, blocks) = (format.bits, format.isSymmetric, sharing.extents)
    (self.integers, meaning) = (made, .linear(scales))
  }

  /// Quantises numbers to indices into a lookup table per block.
  ///
  /// - Parameter make: Makes a block's ascending table from those numbers of the block that `mask` selects.
  init(
    _ values: [Float], bits: Int, _ sharing: WeightGrid.Sharing, mask: [Bool]? = nil,
    table make: ([Float]) -> [Float]
  ) {
    var made = [Int8](repeating: 0, count: values.count)
    var tables: [[Float]] = []
    sharing.forEachBlock { indices in
      let table: [Float] = make(Self.selected(values, indices, mask))
      tables.append(table)
      for index in indices {
        made[index] = Int8(truncatingIfNeeded: table.nearest(to: values[index]))
      }
    }
    (self.bits, isSigned, blocks) = (bits, false, sharing.extents)
    (integers, meaning) = (made, .tables(tables))
  }

  private static func selected(_ values: [Float], _ indices: [Int], _ mask: [Bool]?) -> [Float] {
    guard let mask else { return indices.map { values[$0] } }
    return indices.compactMap { mask[$0] ? values[$0] : nil }
  }

  /// Returns for each number whether it is stored. The share `sparsity` of the numbers becomes zero and is not stored:
  /// those with the smallest magnitudes.
  static func mask(_ values: [Float], sparsity: Double) -> [Bool] {
    let order: [Int] = values.indices.sorted { abs(values[$0]) < abs(values[$1]) }
    var mask = [Bool](repeating: true, count: values.count)
    for index in order.prefix(Int(Double(values.count) * sparsity)) { mask[index] = false }
    return mask
  }

  /// Packs the integers as NeuralNetworks store them: the first integer is in the highest bits of the first byte.
  func packedFromHighBits() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (integers.count * bits + 7) / 8)
    for (index, integer) in integers.enumerated() {
      let number: UInt16 = Self.bits(of: integer, bits)
      let bit: Int = index * bits
      let shifted: UInt16 = number << UInt16(16 - bits - bit % 8)
      bytes[bit / 8] |= UInt8(shifted >> 8)
      if bit % 8 + bits > 8 { bytes[bit / 8 + 1] |= UInt8(truncatingIfNeeded: shifted) }
    }
    return bytes
  }

  /// Packs integers as the weight files of ML Programs store them: the first integer is in the lowest bits of the first
  /// byte.
  static func packedFromLowBits(_ integers: [Int8], bits: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (integers.count * bits + 7) / 8)
    for (index, integer) in integers.enumerated() {
      let bit: Int = index * bits
      let shifted: UInt16 = Self.bits(of: integer, bits) << UInt16(bit % 8)
      bytes[bit / 8] |= UInt8(truncatingIfNeeded: shifted)
      if bit % 8 + bits > 8 { bytes[bit / 8 + 1] |= UInt8(shifted >> 8) }
    }
    return bytes
  }

  private static func bits(of integer: Int8, _ count: Int) -> UInt16 {
    UInt16(UInt8(bitPattern: integer)) & ((1 << UInt16(count)) - 1)
  }
}
