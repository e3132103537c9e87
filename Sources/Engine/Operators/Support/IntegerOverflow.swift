import Graph

/// What becomes of an integer result that the element type cannot hold.
public enum IntegerOverflow: Sendable, Hashable {
  /// The low bits are kept, as C and NumPy do.
  case wraps
  /// The nearest end of the type's range is taken. The ONNX reader holds int64 tensors as int32 and asks for this.
  case saturates
}

extension ElementType {
  /// An integer as this type keeps it.
  package func kept(_ value: Int64, _ overflow: IntegerOverflow) -> Int64 {
    switch overflow {
    case .wraps: return wrapped(value)
    case .saturates: return saturated(Int128(value))
    }
  }

  /// An integer kept to the range of this type; of truth values everything but 0 is 1.
  package func saturated(_ value: Int128) -> Int64 {
    guard let range = integerRange, self != .bool else { return value == 0 ? 0 : 1 }
    return Int64(
      Swift.min(Swift.max(value, Int128(range.lowerBound)), Int128(range.upperBound)))
  }
}

extension Int64 {
  /// The quotient rounded down; 0 where the divisor is 0.
  package func flooredQuotient(by divisor: Int64) -> Int64 {
    guard divisor != 0 else { return 0 }
    let (quotient, overflows) = dividedReportingOverflow(by: divisor)
    if overflows { return quotient }
    return self % divisor != 0 && (self < 0) != (divisor < 0) ? quotient - 1 : quotient
  }

  /// The quotient with its fraction cut off; 0 where the divisor is 0.
  package func truncatedQuotient(by divisor: Int64) -> Int64 {
    divisor == 0 ? 0 : dividedReportingOverflow(by: divisor).partialValue
  }

  /// This integer to the power of another, wrapping around. A negative exponent gives 1 / xⁿ with its fraction cut
  /// off; 0 where the base is 0.
  package func raised(to exponent: Int64) -> Int64 {
    guard exponent >= 0 else { return inversePower(exponent) }
    var (result, factor, rest): (Int64, Int64, Int64) = (1, self, exponent)
    while rest > 0 {
      if rest & 1 == 1 { result = result &* factor }
      factor = factor &* factor
      rest >>= 1
    }
    return result
  }

  /// The same, kept to the range of `Int64`.
  package func raisedSaturating(to exponent: Int64) -> Int64 {
    guard exponent >= 0 else { return inversePower(exponent) }
    // One beyond every magnitude that fits: products of two such numbers still fit 128 bits.
    let most = UInt128(Int64.max) + 2
    var (result, factor): (UInt128, UInt128) = (1, UInt128(magnitude))
    var rest: Int64 = exponent
    while rest > 0 {
      if rest & 1 == 1 { result = Swift.min(result * factor, most) }
      factor = Swift.min(factor * factor, most)
      rest >>= 1
    }
    let value = Int128(result)
    return Int64(clamping: self < 0 && exponent & 1 == 1 ? -value : value)
  }

  /// 1 / xⁿ without its fraction, for an exponent below 0.
  private func inversePower(_ exponent: Int64) -> Int64 {
    switch self {
    case 1: return 1
    case -1: return exponent & 1 == 0 ? 1 : -1
    default: return 0
    }
  }

  /// The result of an operation that reports overflow, kept to the range: `isNegative` says which end.
  package static func saturating(
    _ result: (partialValue: Int64, overflow: Bool), isNegative: Bool
  ) -> Int64 {
    result.overflow ? (isNegative ? .min : .max) : result.partialValue
  }
}
