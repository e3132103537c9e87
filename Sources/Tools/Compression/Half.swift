import ModelFormat

extension [Float] {
  /// Whether float16 holds all numbers to a thousandth: none is too large for it, or too small.
  var fitHalf: Bool {
    allSatisfy { value in
      let half = Float(Float16(value))
      return half.isFinite && abs(half - value) <= abs(value) * 0x1p-10
    }
  }

  /// The numbers as float16, little-endian.
  var halfBytes: ByteValues {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * 2)
    for value in self {
      let bits: UInt16 = Float16(value).bitPattern
      bytes.append(UInt8(truncatingIfNeeded: bits))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
    }
    return ByteValues(bytes)
  }
}
