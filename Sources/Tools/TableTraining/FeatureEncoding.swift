/// Converts the columns of a table to one vector per row. Core ML's one-hot encoder and feature vectorizer compute the
/// same vector from the same values.
public struct FeatureEncoding: Sendable {
  /// A column of the table.
  public struct Source: Sendable {
    /// The name of the column.
    public let name: String
    /// The kind of values.
    public let kind: Kind
    /// The number of elements that the column adds to the vector.
    public var width: Int {
      switch kind {
      case .number: 1
      case .categories(let words): words.count
      }
    }
  }

  /// The kind of a column's values.
  public enum Kind: Sendable {
    /// A number is one element.
    case number(isInteger: Bool)
    /// A word is as many elements as there are categories: 1 for the word's own category, 0 for the others. A word
    /// that is no category is all zeros.
    case categories([String])
  }

  /// The columns in the order of the vector.
  public let sources: [Source]
  /// The number of elements of the vector.
  public let width: Int

  /// Finds the categories of a table's columns of words.
  ///
  /// - Throws: ``TableTrainingError`` if a column of words has no words.
  public init(_ table: TrainingTable) throws {
    sources = try zip(table.names, table.columns).map { name, column in
      switch column {
      case .numbers(_, let areIntegers):
        return Source(name: name, kind: .number(isInteger: areIntegers))
      case .words(let words):
        let categories: [String] = Set(words.compactMap { $0 }).sorted()
        guard !categories.isEmpty else {
          throw TableTrainingError("Column '\(name)' has no values; leave it out.")
        }
        return Source(name: name, kind: .categories(categories))
      }
    }
    width = sources.reduce(0) { $0 + $1.width }
  }

  /// Converts a table to feature columns: `[element of the vector][row]`.
  ///
  /// - Throws: ``TableTrainingError`` if a column is missing or has another kind of values.
  public func columns(of table: TrainingTable) throws -> [[Double]] {
    var result: [[Double]] = []
    result.reserveCapacity(width)
    for source in sources {
      guard let position = table.names.firstIndex(of: source.name) else {
        throw TableTrainingError("The table has no column '\(source.name)', which the model reads.")
      }
      switch (source.kind, table.columns[position]) {
      case (.number, .numbers(let numbers, _)): result.append(numbers)
      case (.categories(let categories), .words(let words)):
        for category in categories { result.append(words.map { $0 == category ? 1 : 0 }) }
      case (.number, .words):
        throw TableTrainingError(
          "Column '\(source.name)' holds words, but the model reads numbers.")
      case (.categories, .numbers):
        throw TableTrainingError(
          "Column '\(source.name)' holds numbers, but the model reads words.")
      }
    }
    return result
  }
}
