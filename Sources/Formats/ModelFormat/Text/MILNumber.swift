/// Reads and writes numbers as a program's text writes them: `0x1.8p-3`, `-inf`, `nan`.
enum MILNumber {
  /// Appends a number to a text, in hexadecimal with the fewest digits that represent it exactly.
  static func append(_ value: Double, to text: inout [UInt8]) {
    if value.isNaN {
      text += Array("nan".utf8)
      return
    }
    if value.sign == .minus { text.append(UInt8(ascii: "-")) }
    if value.isInfinite {
      text += Array("inf".utf8)
    } else if value == 0 {
      text += Array("0x0p+0".utf8)
    } else {
      let exponent = Int(value.exponent)
      // `significand` is a normal number, even if `value` is subnormal.
      var fraction: UInt64 = value.magnitude.significand.significandBitPattern
      text += Array("0x1".utf8)
      if fraction != 0 { text.append(UInt8(ascii: ".")) }
      while fraction != 0 {
        let digit = Int(fraction >> 48)
        text.append(digits[digit])
        fraction = fraction << 4 & 0x000F_FFFF_FFFF_FFFF
      }
      text += Array((exponent < 0 ? "p" : "p+").utf8)
      text += Array(String(exponent).utf8)
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)

  /// Reads a number. Nil if the text is not a number, or the number is too large for a `Double`.
  static func parse(_ text: ArraySlice<UInt8>) -> Double? {
    if let simple = simpleHexadecimal(text) { return simple }
    guard text.count <= 400, let value = Double(String(decoding: text, as: UTF8.self)) else {
      return nil
    }
    let isNamed: Bool = text.contains { $0 == UInt8(ascii: "n") || $0 == UInt8(ascii: "N") }
    return value.isInfinite && !isNamed ? nil : value
  }

  /// Reads a number of at most 13 hexadecimal digits without an extreme exponent. Such a number is exact as a `Double`.
  private static func simpleHexadecimal(_ text: ArraySlice<UInt8>) -> Double? {
    var rest: ArraySlice<UInt8> = text
    let isNegative: Bool = rest.first == UInt8(ascii: "-")
    if isNegative { rest = rest.dropFirst() }
    guard rest.starts(with: [UInt8(ascii: "0"), UInt8(ascii: "x")]) else { return nil }
    rest = rest.dropFirst(2)
    var mantissa: UInt64 = 0
    var (count, fractionBits) = (0, 0)
    var hasPoint = false
    while let byte = rest.first, byte != UInt8(ascii: "p") {
      rest = rest.dropFirst()
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
        continue
      }
      guard let digit = hexadecimalDigit(byte), count < 13 else { return nil }
      mantissa = mantissa << 4 | UInt64(digit)
      count += 1
      fractionBits += hasPoint ? 4 : 0
    }
    guard count > 0, rest.first == UInt8(ascii: "p"),
      let exponent = integerValue(rest.dropFirst()), exponent.magnitude < 900
    else { return nil }
    let magnitude = Double(
      sign: .plus, exponent: Int(exponent) - fractionBits, significand: Double(mantissa))
    return isNegative ? -magnitude : magnitude
  }

  static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Reads an integer with an optional sign. Nil if the integer is out of the range of `type`.
  static func integerValue<Number: FixedWidthInteger>(
    _ text: ArraySlice<UInt8>, as type: Number.Type = Int64.self
  ) -> Number? {
    var rest: ArraySlice<UInt8> = text
    let isNegative: Bool = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    guard !rest.isEmpty else { return nil }
    var value: Number = 0
    for byte in rest {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let digit = Number(byte - UInt8(ascii: "0"))
      let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
      let (next, exceeds) =
        isNegative
        ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
      guard !overflows, !exceeds else { return nil }
      value = next
    }
    return value
  }
}
