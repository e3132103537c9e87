/// A function of many variables to minimise.
public protocol Objective: AnyObject {
  /// Returns the value at a point. Writes the gradient, which has as many elements as the point.
  func evaluate(at point: [Float], gradient: inout [Float]) throws -> Double
}

/// An iterative minimiser of a function.
public protocol Minimizer {
  /// The current point.
  var point: [Float] { get }
  /// The function's value at ``point``.
  var value: Double { get }
  /// How often the function was evaluated.
  var evaluations: Int { get }
  /// Takes one step. Returns false if no step decreases the function further.
  mutating func step(_ objective: any Objective) throws -> Bool
}

/// Throws if a loss is not finite.
func requireFinite(_ value: Double) throws {
  guard value.isFinite else {
    throw StyleTransferError(
      .numbers,
      "The loss is not a number any more. Choose a lower strength, or compute in float32"
        + " (--compute-units cpuOnly).")
  }
}
