import ModelFormat

/// Puts the values of a dictionary into an array, each at the position of its key.
public struct DictVectorizer: Sendable {
  private enum Positions: Sendable {
    case strings([String: Int])
    case integers([Int64: Int])
  }

  private let positions: Positions

  /// The number of known keys, which is that of the array's elements.
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

  /// Whether the keys are whole numbers, or else texts.
  public var hasIntegerKeys: Bool {
    if case .integers = positions { return true }
    return false
  }

  /// The array: 0 where the dictionary has no value. Keys that the model does not know are left
  /// out, as words of a text that it was not trained on.
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
