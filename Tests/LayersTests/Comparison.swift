import OperatorSamples
import Engine
import Testing

/// The difference between two tensors, and the element with the largest difference.
struct Comparison: CustomStringConvertible {
  /// The largest difference, divided by the largest expected magnitude. Infinite if two compared values differ and one
  /// of them is infinite or NaN.
  private(set) var error = 0.0
  private var worstIndex = 0
  private var found = 0.0
  private var expected = 0.0

  /// Compares elements that have the same index. Two NaN are equal, and so are two infinities of the same sign.
  init(_ tensor: ReferenceTensor, to reference: ReferenceTensor) {
    var largest = 0.0
    for value in reference.reals where value.isFinite { largest = max(largest, abs(value)) }
    for (index, pair) in zip(tensor.reals, reference.reals).enumerated() {
      let difference = Self.difference(pair.0, pair.1)
      // If every expected value is zero, only an exact result passes.
      let relative = difference == 0 ? 0 : largest == 0 ? .infinity : difference / largest
      if relative > error {
        error = relative
        worstIndex = index
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
    "error \(error) at \(worstIndex): \(found), expected \(expected)"
  }
}

extension ReferenceTensor {
  /// The bit patterns of all elements, floating-point and integer.
  var bits: [UInt64] { values.map(\.bitPattern) + integerValues.map { UInt64(bitPattern: $0) } }
}

extension OperatorSample.Tolerance {
  /// Returns the largest allowed difference, divided by the largest magnitude in the output. With `bfloat16`, a kernel
  /// rounds its result to 8 significant bits, and may also round the weights before it computes.
  func relative(_ storage: ElementType) -> Double {
    guard storage == .bfloat16 else { return relative }
    switch self {
    case .exact: return 0x1p-8
    case .rounding: return 0x1p-7
    case .accumulation: return 0x1p-5
    }
  }
}
