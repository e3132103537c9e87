import Engine

extension ReferenceTensor {
  /// The numbers that the scripts `make_expected.py` give other programs: −0.4…0.6, as float32.
  package static func ramp(_ shape: [Int]) -> ReferenceTensor {
    let count: Int = shape.reduce(1, *)
    return ReferenceTensor(
      Shape(shape), (0..<count).map { Double(Float(Double($0 * 7919 % 1009) / 1009 - 0.4)) })
  }

  /// The largest difference from what another program computed, relative to its largest number; infinite where
  /// counts differ or something is not a number.
  package func difference(from expected: [Double]) -> Double {
    let made: [Double] = reals
    guard made.count == expected.count, !made.isEmpty else { return .infinity }
    let largest: Double = max(expected.map(abs).max() ?? 0, 1e-6)
    let differences: [Double] = zip(made, expected).map { abs($0 - $1) }
    return differences.contains { $0.isNaN } ? .infinity : (differences.max() ?? 0) / largest
  }
}
