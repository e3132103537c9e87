import CPointwise
import Foundation

/// How many values become one.
public enum ReductionMode: Sendable, Equatable {
  /// Σ x
  case sum
  /// Σ x / n
  case mean
  /// Π x
  case product
  /// Σ log(x + epsilon)
  case sumOfLogs(epsilon: Float)
  /// Σ x²
  case sumOfSquares
  /// Σ |x|
  case l1
  /// √Σ x²
  case l2
  /// The largest x; NaN where one is NaN.
  case maximum
  /// The smallest x; NaN where one is NaN.
  case minimum
  /// The index of the first largest x, or of the first NaN.
  case positionOfMaximum
  /// The index of the first smallest x, or of the first NaN.
  case positionOfMinimum
  /// log Σ x
  case logOfSum
  /// log Σ e^x
  case logOfSumOfExponentials
}

extension ReductionMode {
  /// The definition. Of no values: 0, 1, ∓∞ or NaN, as the formula gives; position 0.
  public func callAsFunction(_ values: [Double]) -> Double {
    switch self {
    case .sum: return values.reduce(0, +)
    case .mean: return values.reduce(0, +) / Double(values.count)
    case .product: return values.reduce(1, *)
    case .sumOfLogs(let epsilon): return values.reduce(0) { $0 + log($1 + Double(epsilon)) }
    case .sumOfSquares: return values.reduce(0) { $0 + $1 * $1 }
    case .l1: return values.reduce(0) { $0 + abs($1) }
    case .l2: return values.reduce(0) { $0 + $1 * $1 }.squareRoot()
    case .maximum: return values.reduce(-.infinity) { $1 > $0 || $1.isNaN ? $1 : $0 }
    case .minimum: return values.reduce(.infinity) { $1 < $0 || $1.isNaN ? $1 : $0 }
    case .positionOfMaximum: return position(values) { $0 > $1 }
    case .positionOfMinimum: return position(values) { $0 < $1 }
    case .logOfSum: return log(values.reduce(0, +))
    case .logOfSumOfExponentials:
      let largest: Double = values.reduce(-.infinity) { $1 > $0 ? $1 : $0 }
      guard largest.isFinite else { return log(values.reduce(0) { $0 + exp($1) }) }
      return largest + log(values.reduce(0) { $0 + exp($1 - largest) })
    }
  }

  private func position(_ values: [Double], _ isBetter: (Double, Double) -> Bool) -> Double {
    var best = 0
    for (index, value) in values.enumerated() {
      if value.isNaN { return Double(index) }
      if isBetter(value, values[best]) { best = index }
    }
    return Double(best)
  }

  /// The kernel's name of the mode, and its epsilon.
  package var kernelKind: (kind: cpw_reduction_kind, epsilon: Float) {
    switch self {
    case .sum: return (CPW_REDUCE_SUM, 0)
    case .mean: return (CPW_REDUCE_MEAN, 0)
    case .product: return (CPW_REDUCE_PRODUCT, 0)
    case .sumOfLogs(let epsilon): return (CPW_REDUCE_SUM_OF_LOGS, epsilon)
    case .sumOfSquares: return (CPW_REDUCE_SUM_OF_SQUARES, 0)
    case .l1: return (CPW_REDUCE_L1, 0)
    case .l2: return (CPW_REDUCE_L2, 0)
    case .maximum: return (CPW_REDUCE_MAXIMUM, 0)
    case .minimum: return (CPW_REDUCE_MINIMUM, 0)
    case .positionOfMaximum: return (CPW_REDUCE_ARGMAX, 0)
    case .positionOfMinimum: return (CPW_REDUCE_ARGMIN, 0)
    case .logOfSum: return (CPW_REDUCE_LOG_OF_SUM, 0)
    case .logOfSumOfExponentials: return (CPW_REDUCE_LOG_OF_SUM_OF_EXPONENTIALS, 0)
    }
  }
}
