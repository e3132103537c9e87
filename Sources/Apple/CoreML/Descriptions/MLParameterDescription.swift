import Foundation

/// A parameter of a model's training: its key, its default and what is allowed.
public final class MLParameterDescription: NSObject, Sendable {
  enum Value: Sendable {
    case integer(Int64)
    case number(Double)
    case flag(Bool)
  }

  /// The key under which the parameter is set.
  public let key: MLParameterKey

  /// The numbers that are allowed; nil for a flag.
  public let numericConstraint: MLNumericConstraint?

  private let value: Value

  init(key: MLParameterKey, value: Value, numericConstraint: MLNumericConstraint?) {
    self.key = key
    self.value = value
    self.numericConstraint = numericConstraint
  }

  /// Whether the parameter is a whole number.
  var isWhole: Bool {
    if case .integer = value { return true }
    return false
  }

  /// What the parameter is when nobody sets it.
  public var defaultValue: Any {
    switch value {
    case .integer(let integer): NSNumber(value: integer)
    case .number(let number): NSNumber(value: number)
    case .flag(let flag): NSNumber(value: flag)
    }
  }
}
