import Foundation
import Graph

/// How a reduction combines several values into one.
public enum ReductionMode: Sendable, Hashable {
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
  /// The largest x; NaN if any x is NaN.
  case maximum
  /// The smallest x; NaN if any x is NaN.
  case minimum
  /// The index of the first largest x, or of the first NaN.
  case indexOfMaximum
  /// The index of the first smallest x, or of the first NaN.
  case indexOfMinimum
  /// log Σ x
  case logOfSum
  /// log Σ e^x
  case logOfSumOfExponentials
}

extension ReductionMode {
  /// Reduces values in `Double`. Without values, sums and norms are 0, a product is 1, a maximum and the logarithm of a
  /// sum are −∞, a minimum is ∞, a mean is NaN, and the index of an extreme value is 0.
  public func callAsFunction(_ values: [Double]) -> Double {
    switch self {
    case .sum: return values.reduce(0, +)
    case .mean: return values.reduce(0, +) / Double(values.count)
    case .product: return values.reduce(1, *)
    case .sumOfLogs(let epsilon): return values.reduce(0) { $0 + log($1 + Double(epsilon)) }
    case .sumOfSquares: return values.reduce(0) { $0 + $1 * $1 }
    case .l1: return values.reduce(0) { $0 + $1.magnitude }
    case .l2: return values.reduce(0) { $0 + $1 * $1 }.squareRoot()
    case .maximum: return values.reduce(-.infinity) { $1 > $0 || $1.isNaN ? $1 : $0 }
    case .minimum: return values.reduce(.infinity) { $1 < $0 || $1.isNaN ? $1 : $0 }
    case .indexOfMaximum: return firstIndex(values) { $0 > $1 }
    case .indexOfMinimum: return firstIndex(values) { $0 < $1 }
    case .logOfSum: return log(values.reduce(0, +))
    case .logOfSumOfExponentials:
      let largest: Double = values.reduce(-.infinity) { $1 > $0 ? $1 : $0 }
      guard largest.isFinite else { return log(values.reduce(0) { $0 + exp($1) }) }
      return largest + log(values.reduce(0) { $0 + exp($1 - largest) })
    }
  }

  /// Reduces values with integer arithmetic. If the element type cannot hold a sum or a product, the result wraps
  /// around or is clamped to the type's range, as `overflow` states. The mean is rounded towards 0. Nil if the
  /// reduction has no integer arithmetic.
  package func integer(_ values: [Int64], _ overflow: IntegerOverflow, as element: ElementType)
    -> Int64?
  {
    /// Returns the sum of `term(value)` over all values. Each term must fit into 128 bits.
    func sum(_ term: (Int128) -> Int128) -> Int64 {
      switch overflow {
      case .wraps:
        return element.wrapped(
          values.reduce(0) { $0 &+ Int64(truncatingIfNeeded: term(Int128($1))) })
      case .saturates:
        let total: Int128 = values.reduce(0) { total, value in
          let (next, overflows) = total.addingReportingOverflow(term(Int128(value)))
          return overflows ? .max : next
        }
        return element.saturated(total)
      }
    }
    switch self {
    case .sum: return sum { $0 }
    case .sumOfSquares: return sum { $0 * $0 }
    case .l1: return sum { Swift.max($0, -$0) }
    case .mean:
      let total: Int128 = values.reduce(0) { $0 + Int128($1) }
      return values.isEmpty ? 0 : Int64(total / Int128(values.count))
    case .product:
      guard overflow == .saturates else { return element.wrapped(values.reduce(1, &*)) }
      // The clamp is one more than the largest magnitude of an `Int64`. A clamped product keeps its sign, and a later
      // factor of 0 still gives 0.
      let clamp = Int128(Int64.max) + 2
      return element.saturated(
        values.reduce(Int128(1)) { Swift.min(Swift.max($0 * Int128($1), -clamp), clamp) })
    case .maximum: return values.max()
    case .minimum: return values.min()
    case .indexOfMaximum: return values.firstIndex(of: values.max() ?? 0).map(Int64.init)
    case .indexOfMinimum: return values.firstIndex(of: values.min() ?? 0).map(Int64.init)
    case .sumOfLogs, .l2, .logOfSum, .logOfSumOfExponentials: return nil
    }
  }

  /// Returns the element type of the result. For an index it is `int32` or `float32`, because smaller types cannot hold
  /// all indices. Otherwise it is the input's element type.
  package func element(of element: ElementType) -> ElementType {
    switch self {
    case .indexOfMaximum, .indexOfMinimum: return .indexType(of: element)
    default: return element
    }
  }

  private func firstIndex(_ values: [Double], _ isBetter: (Double, Double) -> Bool) -> Double {
    var best = 0
    for (index, value) in values.enumerated() {
      if value.isNaN { return Double(index) }
      if isBetter(value, values[best]) { best = index }
    }
    return Double(best)
  }
}

extension ReductionMode {
  /// The name that ``ReduceAxesOperator`` has in messages and listings if it reduces in this mode, for example
  /// “ReduceSum”.
  public var name: String { row.name }

  /// A description of the reduction, in one line.
  public var summary: String { row.summary }

  private var row: (name: String, summary: String) {
    switch self {
    case .sum: return ("ReduceSum", "the sum over axes")
    case .mean: return ("ReduceMean", "the mean over axes")
    case .product: return ("ReduceProd", "the product over axes")
    case .l1: return ("ReduceL1", "the sum of magnitudes over axes")
    case .l2: return ("ReduceL2", "the Euclidean length over axes")
    case .maximum: return ("ReduceMax", "the largest value over axes")
    case .minimum: return ("ReduceMin", "the smallest value over axes")
    case .logOfSum: return ("ReduceLogSum", "the logarithm of the sum over axes")
    case .sumOfSquares: return ("ReduceSumSquare", "the sum of squares over axes")
    case .logOfSumOfExponentials:
      return ("ReduceLogSumExp", "the logarithm of the sum of exponentials over axes")
    case .sumOfLogs: return ("ReduceSumOfLogs", "the sum of logarithms over axes")
    case .indexOfMaximum: return ("ArgMax", "the index of the largest value along an axis")
    case .indexOfMinimum: return ("ArgMin", "the index of the smallest value along an axis")
    }
  }
}
