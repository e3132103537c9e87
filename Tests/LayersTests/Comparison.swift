import OperatorSamples
import Engine
import Testing

/// How far a tensor is from another, and where it is worst.
struct Comparison: CustomStringConvertible {
  /// The largest difference, relative to the largest magnitude expected; infinite where only one of
  /// two values is finite.
  private(set) var error = 0.0
  private var place = 0
  private var found = 0.0
  private var expected = 0.0

  /// Compares elements at the same place. Two NaN are equal, and two infinities of one sign.
  init(_ tensor: ReferenceTensor, to reference: ReferenceTensor) {
    var largest = 0.0
    for value in reference.reals where value.isFinite { largest = max(largest, abs(value)) }
    for (index, pair) in zip(tensor.reals, reference.reals).enumerated() {
      let difference = Self.difference(pair.0, pair.1)
      // Nothing but the exact value will do where all is zero.
      let relative = difference == 0 ? 0 : largest == 0 ? .infinity : difference / largest
      if relative > error {
        error = relative
        place = index
        (found, expected) = pair
      }
    }
  }

  private static func difference(_ first: Double, _ second: Double) -> Double {
    if first == second || first.isNaN && second.isNaN { return 0 }
    let difference = abs(first - second)
    return difference.isFinite ? difference : .infinity
  }

  var description: String {
    "error \(error) at \(place): \(found), expected \(expected)"
  }
}

extension ReferenceTensor {
  /// The bits of the elements, of numbers with fractions and of whole ones.
  var bits: [UInt64] { values.map(\.bitPattern) + wholes.map { UInt64(bitPattern: $0) } }
}

extension OperatorSample.Tolerance {
  /// The largest difference allowed, relative to the largest magnitude in the output. In `bfloat16`
  /// a result is rounded to 8 bits, and weights may be rounded before.
  func relative(_ storage: ElementType) -> Double {
    guard storage == .bfloat16 else { return relative }
    switch self {
    case .exact: return 0x1p-8
    case .rounding: return 0x1p-7
    case .accumulation: return 0x1p-5
    }
  }
}
