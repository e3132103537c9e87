import Graph

extension ReferenceTensor {
  /// Returns the values in the form of a weight file. Numbers are little-endian. Elements narrower than a byte are
  /// packed from the lowest bit up.
  package func packedBytes(of element: ElementType) -> [UInt8] {
    func little<Number: FixedWidthInteger>(_ numbers: some Sequence<Number>) -> [UInt8] {
      numbers.flatMap { number in withUnsafeBytes(of: number.littleEndian) { Array($0) } }
    }
    switch element {
    case .float16: return little(reals.map { Float16($0).bitPattern })
    case .bfloat16: return little(reals.map { BFloat16.bits(of: Float($0)) })
    case .float32: return little(reals.map { Float($0).bitPattern })
    case .float64: return little(reals.map(\.bitPattern))
    default: break
    }
    let integerValues: [Int] = integers
    let width: Int = element.bitCount
    if width >= 8 {
      return integerValues.flatMap { integer in
        (0..<width / 8).map { UInt8(truncatingIfNeeded: integer >> (8 * $0)) }
      }
    }
    var bytes = [UInt8](repeating: 0, count: (integerValues.count * width + 7) / 8)
    for (index, integer) in integerValues.enumerated() {
      let code: Int = integer & ((1 << width) - 1)
      for bit in 0..<width where code >> bit & 1 == 1 {
        let position: Int = index * width + bit
        bytes[position / 8] |= 1 << (position % 8)
      }
    }
    return bytes
  }
}
