/// A function of many numbers that is to become small.
public protocol Objective: AnyObject {
  /// The value at a point; writes the gradient, which has as many numbers as the point.
  func evaluate(at point: [Float], gradient: inout [Float]) throws -> Double
}

/// A step by step search for the least value of a function.
public protocol Minimizer {
  /// Where the search stands.
  var point: [Float] { get }
  /// The function's value there.
  var value: Double { get }
  /// How often the function was evaluated.
  var evaluations: Int { get }
  /// Goes on by one step; false when no step leads further down.
  mutating func step(_ objective: any Objective) throws -> Bool
}

/// Why a search cannot go on.
func requireFinite(_ value: Double) throws {
  guard value.isFinite else {
    throw StyleTransferError(
      .numbers, "The loss is no number any more. Choose a lower strength, or float32 numbers.")
  }
}
