import Foundation

/// The numbers that a parameter may have.
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

  /// All allowed numbers where they are listed, nil for a range.
  public var enumeratedNumbers: Set<NSNumber>? {
    allowed.map { numbers in Set(numbers.map { NSNumber(value: $0) }) }
  }

  func allows(_ number: Double) -> Bool {
    if let allowed { return allowed.contains(number) }
    return number >= lowest && number <= highest
  }
}
