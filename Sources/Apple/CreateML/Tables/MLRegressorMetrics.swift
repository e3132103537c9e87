/// The errors of a regressor on a table.
public struct MLRegressorMetrics: Sendable, CustomStringConvertible {
  /// The square root of the mean squared error, in the unit of the target. 0 if there are no rows.
  public let rootMeanSquaredError: Double
  /// The greatest absolute error, in the unit of the target. 0 if there are no rows.
  public let maximumError: Double
  /// The error that prevented the measurement; nil if there was none.
  public let error: (any Error)?
  private let count: Int

  init(_ predictions: [Double], truth: [Double]) {
    let errors: [Double] = zip(predictions, truth).map { $0 - $1 }
    count = errors.count
    rootMeanSquaredError =
      errors.isEmpty
      ? 0 : (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
    maximumError = errors.map(abs).max() ?? 0
    error = nil
  }

  init(error: (any Error)?) {
    (count, rootMeanSquaredError, maximumError) = (0, 0, 0)
    self.error = error
  }

  /// Whether the metrics were measured with at least one row.
  public var isValid: Bool { count > 0 }

  /// The errors as text.
  public var description: String {
    guard isValid else {
      return error.map { "no metrics: \($0)" } ?? "no metrics: there were no rows"
    }
    return "root mean squared error \(rootMeanSquaredError), maximum error \(maximumError)"
  }
}
