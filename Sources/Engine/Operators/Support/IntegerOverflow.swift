import Graph

/// The rule for an integer result that overflows its element type.
public enum IntegerOverflow: Sendable, Hashable {
  /// The result is the low bits, as in C and NumPy.
  case wraps
  /// The result is clamped to the type's range. The ONNX reader uses this case, because it stores int64 tensors as
  /// int32.
  case saturates
}

extension ElementType {
  /// Converts an integer to this type. An integer beyond the type's range wraps around or is clamped.
  package func converted(_ value: Int64, _ overflow: IntegerOverflow) -> Int64 {
    switch overflow {
    case .wraps: return wrapped(value)
    case .saturates: return saturated(Int128(value))
    }
  }

  /// Clamps an integer to the range of this type. If this type is `bool`, every integer except 0 becomes 1.
  package func saturated(_ value: Int128) -> Int64 {
    guard let range = integerRange, self != .bool else { return value == 0 ? 0 : 1 }
    return Int64(
      Swift.min(Swift.max(value, Int128(range.lowerBound)), Int128(range.upperBound)))
  }
}

extension Int64 {
  /// Returns the quotient rounded down, or 0 if the divisor is 0.
  package func flooredQuotient(by divisor: Int64) -> Int64 {
    guard divisor != 0 else { return 0 }
    let (quotient, overflows) = dividedReportingOverflow(by: divisor)
    if overflows { return quotient }
    return self % divisor != 0 && (self < 0) != (divisor < 0) ? quotient - 1 : quotient
  }

  /// Returns the truncated quotient, or 0 if the divisor is 0.
  package func truncatedQuotient(by divisor: Int64) -> Int64 {
    divisor == 0 ? 0 : dividedReportingOverflow(by: divisor).partialValue
  }

  /// Returns this integer to the power of `exponent`, wrapping around. If `exponent` is negative, the result is the
  /// power rounded towards 0. A negative power of 0 is 0.
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

  /// Returns this integer to the power of `exponent`, clamped to the range of `Int64`. If `exponent` is negative, the
  /// result is the power rounded towards 0. A negative power of 0 is 0.
  package func raisedSaturating(to exponent: Int64) -> Int64 {
    guard exponent >= 0 else { return inversePower(exponent) }
    // The clamp is one more than the largest magnitude of an `Int64`. The product of two numbers up to the clamp fits
    // into 128 bits.
    let clamp = UInt128(Int64.max) + 2
    var (result, factor): (UInt128, UInt128) = (1, UInt128(magnitude))
    var rest: Int64 = exponent
    while rest > 0 {
      if rest & 1 == 1 { result = Swift.min(result * factor, clamp) }
      factor = Swift.min(factor * factor, clamp)
      rest >>= 1
    }
    let value = Int128(result)
    return Int64(clamping: self < 0 && exponent & 1 == 1 ? -value : value)
  }

  /// Returns this integer to the power of a negative exponent, rounded towards 0. Returns 0 if this integer is 0.
  private func inversePower(_ exponent: Int64) -> Int64 {
    switch self {
    case 1: return 1
    case -1: return exponent & 1 == 0 ? 1 : -1
    default: return 0
    }
  }

  /// Returns the result of an operation that reports overflow. If the operation overflowed, returns the smallest
  /// `Int64` if `isNegative` is true, otherwise the largest `Int64`.
  package static func saturating(
    _ result: (partialValue: Int64, overflow: Bool), isNegative: Bool
  ) -> Int64 {
    result.overflow ? (isNegative ? .min : .max) : result.partialValue
  }
}
