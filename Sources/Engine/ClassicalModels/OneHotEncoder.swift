import ModelFormat

/// Converts a category to its position among the categories that the model knows.
public struct OneHotEncoder: Sendable {
  private enum Positions: Sendable {
    case strings([String: Int])
    case integers([Int64: Int])
  }

  private let positions: Positions
  /// Whether an unknown category gives zeros. Otherwise, an unknown category is an error.
  private let ignoresUnknown: Bool

  /// The number of known categories.
  public let count: Int

  /// Whether the output that the model asks for is a dictionary with the position as its only key. Otherwise, the
  /// output is an array.
  public let givesDictionary: Bool

  /// Reads and checks a model.
  public init(_ message: Spec.OneHotEncoder) throws {
    switch message.categoryType {
    case .stringCategories(let categories)?:
      positions = .strings(
        Dictionary(
          zip(categories.vector, categories.vector.indices), uniquingKeysWith: { first, _ in first }
        ))
      count = categories.vector.count
    case .int64Categories(let categories)?:
      positions = .integers(
        Dictionary(
          zip(categories.vector, categories.vector.indices), uniquingKeysWith: { first, _ in first }
        ))
      count = categories.vector.count
    case nil:
      throw ClassicalModelError.model(
        "The one-hot encoder has no categories. The model may be damaged.")
    }
    switch message.handleUnknown {
    case .errorOnUnknown: ignoresUnknown = false
    case .ignoreUnknown: ignoresUnknown = true
    case .unrecognized(let value):
      throw ClassicalModelError.model(
        "The one-hot encoder has the unknown handling \(value) of unknown categories; known "
          + "ones are 0 and 1.")
    }
    givesDictionary = message.outputSparse
  }

  /// Returns the position of a category. Nil for an unknown category that the model ignores.
  public func position(of value: ClassicalValue) throws -> Int? {
    let found: Int?
    let words: String
    switch (positions, value) {
    case (.strings(let known), .string(let category)):
      found = known[category]
      words = "\"\(category)\""
    case (.integers(let known), .integer(let category)):
      found = known[category]
      words = "\(category)"
    case (.integers(let known), .double(let number)):
      found = Int64(exactly: number).flatMap { known[$0] }
      words = "\(number)"
    case (.strings, _):
      throw ClassicalModelError.input(
        "The one-hot encoder's categories are strings, but its input is \(value.sentenceName).")
    case (.integers, _):
      throw ClassicalModelError.input(
        "The one-hot encoder's categories are int64 values, but its input is "
          + "\(value.sentenceName).")
    }
    if found == nil && !ignoresUnknown {
      throw ClassicalModelError.input(
        "The one-hot encoder does not know the category \(words); it knows \(count) others.")
    }
    return found
  }

  /// Returns the array with 1 at the position of a category and 0 elsewhere.
  public func vector(of value: ClassicalValue) throws -> [Double] {
    var result: [Double] = Array(repeating: 0, count: count)
    if let position = try position(of: value) { result[position] = 1 }
    return result
  }
}
