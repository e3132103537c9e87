/// The kind of value that a feature has. Raw values are Apple's.
public enum MLFeatureType: Int, Sendable, Hashable {
  /// No kind: the value of a feature that could not be made.
  case invalid = 0
  /// A whole number.
  case int64 = 1
  /// A number.
  case double = 2
  /// A text.
  case string = 3
  /// A picture.
  case image = 4
  /// An array of numbers.
  case multiArray = 5
  /// Numbers by key, where keys are all texts or all whole numbers.
  case dictionary = 6
  /// A list of texts or of whole numbers.
  case sequence = 7
  /// Memory that a model keeps between predictions.
  case state = 8

  /// The name used in error sentences, with its article.
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
