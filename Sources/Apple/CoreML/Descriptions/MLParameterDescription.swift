import Foundation

/// The key, default value and constraint of a parameter of a model's training.
public final class MLParameterDescription: NSObject, Sendable {
  enum Value: Sendable {
    case integer(Int64)
    case number(Double)
    case flag(Bool)
  }

  /// The key of the parameter.
  public let key: MLParameterKey

  /// The allowed numbers; nil if the parameter is a flag.
  public let numericConstraint: MLNumericConstraint?

  private let value: Value

  init(key: MLParameterKey, value: Value, numericConstraint: MLNumericConstraint?) {
    self.key = key
    self.value = value
    self.numericConstraint = numericConstraint
  }

  /// Whether the parameter is an integer.
  var isInteger: Bool {
    if case .integer = value { return true }
    return false
  }

  /// The value that the parameter has if the configuration does not set the parameter.
  public var defaultValue: Any {
    switch value {
    case .integer(let integer): NSNumber(value: integer)
    case .number(let number): NSNumber(value: number)
    case .flag(let flag): NSNumber(value: flag)
    }
  }
}
