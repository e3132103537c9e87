extension [Float] {
  /// Whether float16 represents all numbers with a relative error of at most 2⁻¹⁰. False if float16 cannot represent a
  /// number because the number is too large or too small.
  var fitHalf: Bool {
    allSatisfy { value in
      let half = Float(Float16(value))
      return half.isFinite && abs(half - value) <= abs(value) * 0x1p-10
    }
  }
}
