import ModelFormat

/// Converts a dictionary to an array: each value goes to the position of its key.
public struct DictVectorizer: Sendable {
  private enum Positions: Sendable {
    case strings([String: Int])
    case integers([Int64: Int])
  }

  private let positions: Positions

  /// The number of known keys, which is the number of elements of the array.
  public let count: Int

  /// Reads and checks a model.
  public init(_ message: Spec.DictVectorizer) throws {
    switch message.map {
    case .stringToIndex(let keys)?:
      positions = .strings(
        Dictionary(zip(keys.vector, keys.vector.indices), uniquingKeysWith: { first, _ in first }))
      count = keys.vector.count
    case .int64ToIndex(let keys)?:
      positions = .integers(
        Dictionary(zip(keys.vector, keys.vector.indices), uniquingKeysWith: { first, _ in first }))
      count = keys.vector.count
    case nil:
      throw ClassicalModelError.model(
        "The dictionary vectorizer has no keys. The model may be damaged.")
    }
  }

  /// Whether the keys are integers. Otherwise, the keys are strings.
  public var hasIntegerKeys: Bool {
    if case .integers = positions { return true }
    return false
  }

  /// Returns the array, with 0 for keys that are not in the dictionary. Ignores keys that the model does not know,
  /// such as words that were not in its training text.
  public func vector(of value: ClassicalValue) throws -> [Double] {
    var result: [Double] = Array(repeating: 0, count: count)
    switch (positions, value) {
    case (.strings(let known), .stringDictionary(let dictionary)):
      for (key, number) in dictionary {
        if let position = known[key] { result[position] = number }
      }
    case (.integers(let known), .integerDictionary(let dictionary)):
      for (key, number) in dictionary {
        if let position = known[key] { result[position] = number }
      }
    case (.strings, _):
      throw ClassicalModelError.input(
        "The dictionary vectorizer takes a dictionary with string keys, but its input is "
          + "\(value.sentenceName).")
    case (.integers, _):
      throw ClassicalModelError.input(
        "The dictionary vectorizer takes a dictionary with int64 keys, but its input is "
          + "\(value.sentenceName).")
    }
    return result
  }
}
