import Foundation

/// The allowed values of a numeric parameter.
public final class MLNumericConstraint: NSObject, Sendable {
  private let lowest: Double
  private let highest: Double
  private let allowed: [Double]?

  init(lowest: Double, highest: Double, allowed: [Double]? = nil) {
    self.lowest = lowest
    self.highest = highest
    self.allowed = allowed
  }

  /// The smallest allowed number.
  public var minNumber: NSNumber { NSNumber(value: lowest) }

  /// The largest allowed number.
  public var maxNumber: NSNumber { NSNumber(value: highest) }

  /// The allowed numbers; nil if every number from the smallest to the largest is allowed.
  public var enumeratedNumbers: Set<NSNumber>? {
    allowed.map { numbers in Set(numbers.map { NSNumber(value: $0) }) }
  }

  func allows(_ number: Double) -> Bool {
    if let allowed { return allowed.contains(number) }
    return number >= lowest && number <= highest
  }
}
