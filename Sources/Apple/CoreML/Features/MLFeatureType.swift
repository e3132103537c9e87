/// The type of a feature's value. Raw values are Apple's.
public enum MLFeatureType: Int, Sendable, Hashable {
  /// No valid type.
  case invalid = 0
  /// A 64-bit integer.
  case int64 = 1
  /// A 64-bit floating-point number.
  case double = 2
  /// A string.
  case string = 3
  /// An image, as a pixel buffer.
  case image = 4
  /// A multi-array of numbers.
  case multiArray = 5
  /// A dictionary of numbers. The keys are all strings or all integers.
  case dictionary = 6
  /// A sequence of strings or of integers.
  case sequence = 7
  /// The state of a model between predictions.
  case state = 8

  /// The name of the type for error messages, with an article, such as `an image`.
  var sentenceName: String {
    switch self {
    case .invalid: "no value"
    case .int64: "an int64"
    case .double: "a double"
    case .string: "a string"
    case .image: "an image"
    case .multiArray: "a multi-array"
    case .dictionary: "a dictionary"
    case .sequence: "a sequence"
    case .state: "a state"
    }
  }
}
