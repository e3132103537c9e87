/// A table with named columns of equal length.
public struct TrainingTable: Sendable {
  /// The values of a column.
  public enum Column: Sendable {
    /// Numbers. NaN means that the value is missing. `areIntegers` tells whether models take them as integers.
    case numbers([Double], areIntegers: Bool)
    /// Words. Nil means that the value is missing.
    case words([String?])

    /// The number of rows.
    public var count: Int {
      switch self {
      case .numbers(let numbers, _): numbers.count
      case .words(let words): words.count
      }
    }
  }

  /// The names of the columns.
  public let names: [String]
  /// The columns, in the order of their names.
  public let columns: [Column]
  /// The number of rows.
  public let rowCount: Int

  /// Makes a table.
  ///
  /// - Throws: ``TableTrainingError`` if there is no column, if columns differ in length or share a name, or if there
  ///   is no row.
  public init(_ columns: [(name: String, column: Column)]) throws {
    names = columns.map(\.name)
    self.columns = columns.map(\.column)
    guard let first = columns.first else {
      throw TableTrainingError("The table has no feature columns, expected one or more.")
    }
    guard Set(names).count == names.count else {
      throw TableTrainingError("Two columns of the table have the same name; rename one of them.")
    }
    rowCount = first.column.count
    for (name, column) in columns where column.count != rowCount {
      throw TableTrainingError(
        "Column '\(name)' has \(column.count) rows, but column '\(first.name)' has \(rowCount).")
    }
    guard rowCount > 0 else {
      throw TableTrainingError("The table has no rows, expected one or more.")
    }
  }
}
