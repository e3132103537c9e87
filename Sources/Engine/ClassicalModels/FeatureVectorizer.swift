import ModelFormat

/// Concatenates the values of several features into one array.
public struct FeatureVectorizer: Sendable {
  private struct Column: Sendable {
    let name: String
    let start: Int
    let count: Int
  }

  private let columns: [Column]

  /// The number of elements of the array.
  public let count: Int

  /// The names of the input features, in their order.
  public var names: [String] { columns.map(\.name) }

  /// Reads and checks a model.
  public init(_ message: Spec.FeatureVectorizer) throws {
    var columns: [Column] = []
    var start: Int = 0
    for column in message.inputList {
      let rest: UInt64 = UInt64(mostElements - start)
      guard column.inputDimensions <= rest else {
        throw ClassicalModelError.model(
          "The feature vectorizer's column \"\(column.inputColumn)\" has "
            + "\(column.inputDimensions) dimensions; the whole array cannot have more than "
            + "\(mostElements).")
      }
      let count = Int(column.inputDimensions)
      columns.append(Column(name: column.inputColumn, start: start, count: count))
      start += count
    }
    guard !columns.isEmpty else {
      throw ClassicalModelError.model(
        "The feature vectorizer has no columns. The model may be damaged.")
    }
    self.columns = columns
    count = start
  }

  /// Returns the array of all features' values. For a dictionary with integer keys, each key is the position of its
  /// value among the feature's elements. Elements without a key are 0.
  public func vector(_ value: (String) throws -> ClassicalValue) throws -> [Double] {
    var result: [Double] = Array(repeating: 0, count: count)
    for column in columns {
      let given: ClassicalValue = try value(column.name)
      if let list = given.list {
        guard list.count == column.count else {
          throw ClassicalModelError.input(
            "The feature \"\(column.name)\" has \(list.count) values, but the feature vectorizer "
              + "expects \(column.count).")
        }
        for (index, number) in list.enumerated() { result[column.start + index] = number }
      } else if case .integerDictionary(let dictionary) = given {
        for (key, number) in dictionary {
          guard key >= 0, key < column.count else {
            throw ClassicalModelError.input(
              "The dictionary \"\(column.name)\" has the key \(key), but the feature vectorizer "
                + "expects positions from 0 to \(column.count - 1).")
          }
          result[column.start + Int(key)] = number
        }
      } else {
        throw ClassicalModelError.input(
          "The feature \"\(column.name)\" is \(given.sentenceName), but the feature vectorizer "
            + "takes numbers, multi-arrays and dictionaries with int64 keys.")
      }
    }
    return result
  }
}
