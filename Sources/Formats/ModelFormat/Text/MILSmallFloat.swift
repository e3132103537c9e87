/// Converts numbers to and from 8-bit floating-point types, and to bfloat16.
enum MILSmallFloat {
  /// Decodes a byte with four exponent bits and three fraction bits. The format has no infinity and one NaN.
  static func float8e4m3fn(_ bits: UInt8) -> Double {
    if bits & 0x7F == 0x7F { return .nan }
    return number(bits, fractionBits: 3, bias: 7)
  }

  /// Decodes a byte with five exponent bits and two fraction bits.
  static func float8e5m2(_ bits: UInt8) -> Double {
    if bits & 0x7C == 0x7C {
      return bits & 3 != 0 ? .nan : bits & 0x80 != 0 ? -.infinity : .infinity
    }
    return number(bits, fractionBits: 2, bias: 15)
  }

  private static func number(_ bits: UInt8, fractionBits: UInt8, bias: Int) -> Double {
    let fraction = Double(bits & ((1 << fractionBits) - 1))
    let exponent = Int((bits & 0x7F) >> fractionBits)
    let unit = Double(
      sign: .plus, exponent: max(exponent, 1) - bias - Int(fractionBits), significand: 1)
    let magnitude: Double =
      (exponent == 0 ? fraction : fraction + Double(1 << Int(fractionBits))) * unit
    return bits & 0x80 != 0 ? -magnitude : magnitude
  }

  /// Returns the byte that `decode` converts to this number. Nil if there is no such byte.
  static func byte(_ value: Double, _ decode: (UInt8) -> Double) -> UInt8? {
    (0...UInt8.max).first { bits in
      let candidate: Double = decode(bits)
      return candidate.isNaN ? value.isNaN : candidate == value && candidate.sign == value.sign
    }
  }

  /// Returns a number as bfloat16, the upper half of a float32, rounded to nearest, ties to even.
  static func bfloat16(_ value: Double) -> UInt16 {
    let single = Float(value)
    if single.isNaN { return 0x7FC0 }
    let bits: UInt32 = single.bitPattern
    return UInt16((UInt64(bits) + 0x7FFF + UInt64(bits >> 16 & 1)) >> 16)
  }
}
