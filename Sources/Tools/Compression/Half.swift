extension [Float] {
  /// Whether float16 holds all numbers to a thousandth: none is too large for it, or too small.
  var fitHalf: Bool {
    allSatisfy { value in
      let half = Float(Float16(value))
      return half.isFinite && abs(half - value) <= abs(value) * 0x1p-10
    }
  }
}
