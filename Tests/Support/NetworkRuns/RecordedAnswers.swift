import Engine

extension ReferenceTensor {
  /// Returns the input values that the `make_expected.py` scripts also give to the other programs: numbers from −0.4 to
  /// 0.6, as float32.
  package static func ramp(_ shape: [Int]) -> ReferenceTensor {
    let count: Int = shape.reduce(1, *)
    return ReferenceTensor(
      Shape(shape), (0..<count).map { Double(Float(Double($0 * 7919 % 1009) / 1009 - 0.4)) })
  }

  /// Returns the largest difference from the result of another program, divided by the largest magnitude of that
  /// result. Infinite if the counts differ or a value is NaN.
  package func difference(from expected: [Double]) -> Double {
    let made: [Double] = reals
    guard made.count == expected.count, !made.isEmpty else { return .infinity }
    let largest: Double = max(expected.map(abs).max() ?? 0, 1e-6)
    let differences: [Double] = zip(made, expected).map { abs($0 - $1) }
    return differences.contains { $0.isNaN } ? .infinity : (differences.max() ?? 0) / largest
  }
}
