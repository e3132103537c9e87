/// An input or output of a feature-engineering model, for example of an imputer or a one-hot encoder.
public enum ClassicalValue: Equatable, Sendable {
  /// An integer.
  case integer(Int64)
  /// A floating-point number.
  case double(Double)
  /// A string.
  case string(String)
  /// The elements of an array in row-major order.
  case numbers([Double])
  /// Numbers with string keys.
  case stringDictionary([String: Double])
  /// Numbers with integer keys.
  case integerDictionary([Int64: Double])

  /// The kind of value in error messages, with an article.
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

  /// The value as a list of numbers; nil for strings and dictionaries.
  public var list: [Double]? {
    switch self {
    case .integer(let value): [Double(value)]
    case .double(let value): [value]
    case .numbers(let values): values
    default: nil
    }
  }
}

/// Models of this module make no array with more elements than this. In `Double`, these elements take 128 MiB.
let mostElements: Int = 1 << 24
