/// A value that feature engineering takes or gives.
public enum ClassicalValue: Equatable, Sendable {
  /// A whole number.
  case integer(Int64)
  /// A number.
  case double(Double)
  /// A text.
  case string(String)
  /// The elements of an array in row-major order.
  case numbers([Double])
  /// Numbers by text.
  case stringDictionary([String: Double])
  /// Numbers by whole number.
  case integerDictionary([Int64: Double])

  /// The name in error sentences, with its article.
  var sentenceName: String {
    switch self {
    case .integer: "an int64"
    case .double: "a double"
    case .string: "a string"
    case .numbers: "a multi-array"
    case .stringDictionary: "a dictionary with string keys"
    case .integerDictionary: "a dictionary with int64 keys"
    }
  }

  /// The value as a list of numbers; nil for texts and dictionaries.
  public var list: [Double]? {
    switch self {
    case .integer(let value): [Double(value)]
    case .double(let value): [value]
    case .numbers(let values): values
    default: nil
    }
  }
}

/// The most elements of an array that a model of this module makes: 128 MiB of doubles.
let mostElements: Int = 1 << 24
