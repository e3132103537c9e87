import ModelFormat

/// Maps strings to integers, or integers to strings.
public struct CategoricalMapping: Sendable {
  private let mapping: Spec.CategoricalMapping.OneOfMappingType
  private let unknown: ClassicalValue?

  /// Reads and checks a model.
  public init(_ message: Spec.CategoricalMapping) throws {
    switch (message.mappingType, message.valueOnUnknown) {
    case (nil, _):
      throw ClassicalModelError.model(
        "The categorical mapping has no mapping. The model may be damaged.")
    case (.stringToInt64Map(let map)?, .int64Value(let value)?):
      mapping = .stringToInt64Map(map)
      unknown = .integer(value)
    case (.int64ToStringMap(let map)?, .strValue(let value)?):
      mapping = .int64ToStringMap(map)
      unknown = .string(value)
    case (let map?, nil):
      mapping = map
      unknown = nil
    case (_?, _?):
      throw ClassicalModelError.model(
        "The categorical mapping's value for unknown inputs is not of the kind that it maps to.")
    }
  }

  /// Returns the value to which a string or an integer is mapped.
  public func apply(_ value: ClassicalValue) throws -> ClassicalValue {
    let found: ClassicalValue?
    let words: String
    switch (mapping, value) {
    case (.stringToInt64Map(let map), .string(let text)):
      found = map.map[text].map { .integer($0) }
      words = "\"\(text)\""
    case (.int64ToStringMap(let map), .integer(let number)):
      found = map.map[number].map { .string($0) }
      words = "\(number)"
    case (.stringToInt64Map, _):
      throw ClassicalModelError.input(
        "The categorical mapping maps strings, but its input is \(value.sentenceName).")
    case (.int64ToStringMap, _):
      throw ClassicalModelError.input(
        "The categorical mapping maps int64 values, but its input is \(value.sentenceName).")
    }
    guard let result = found ?? unknown else {
      throw ClassicalModelError.input(
        "The categorical mapping does not know \(words) and has no value for unknown inputs.")
    }
    return result
  }
}
