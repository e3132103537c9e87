import ModelFormat

/// Divides values by their norm.
public struct Normalizer: Sendable {
  private enum Norm: Sendable {
    case largest, sum, length
  }

  private let norm: Norm

  /// Reads and checks a model.
  public init(_ message: Spec.Normalizer) throws {
    switch message.normType {
    case .lMax: norm = .largest
    case .l1: norm = .sum
    case .l2: norm = .length
    case .unrecognized(let value):
      throw ClassicalModelError.model(
        "The normalizer has the unknown norm \(value); known ones are 0 (max), 1 (L1) and 2 (L2).")
    }
  }

  /// Returns the values divided by their norm. If the norm is 0, the values are unchanged. If one value is NaN, all
  /// results are NaN.
  public func apply(_ values: [Double]) -> [Double] {
    let divisor: Double
    switch norm {
    case .largest:
      divisor = values.contains(where: \.isNaN) ? .nan : values.max() ?? 0
    case .sum: divisor = values.reduce(0) { $0 + $1.magnitude }
    case .length: divisor = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
    }
    return divisor == 0 ? values : values.map { $0 / divisor }
  }
}
