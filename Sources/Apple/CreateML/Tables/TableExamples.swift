import TableTraining

/// The feature columns and the target of a table.
struct TableExamples {
  /// The names of the feature columns.
  let featureColumns: [String]
  /// The features.
  let features: TrainingTable
  /// The target.
  let target: MLUntypedColumn

  /// Takes columns of a table. Leaves out rows that have no target. Without names, every column but the target is a
  /// feature.
  init(_ table: MLDataTable, target name: String, features names: [String]?) throws {
    if let error = table.error { throw error }
    guard let position = table.columnNames.firstIndex(of: name) else {
      throw MLCreateError.generic(
        reason: "The table has no column '\(name)'; its columns are \(table.columnNames).")
    }
    featureColumns = names ?? table.columnNames.filter { $0 != table.columnNames[position] }
    for feature in featureColumns {
      guard feature != name, table.columnNames.contains(feature) else {
        throw MLCreateError.generic(
          reason: feature == name
            ? "Column '\(name)' is both the target and a feature."
            : "The table has no column '\(feature)'; its columns are \(table.columnNames).")
      }
    }
    let column: MLUntypedColumn = table[name]
    let rows: MLDataTable = table.selecting(
      rows: (0..<column.count).filter { column[$0].isValid })
    target = rows[name]
    features = try Self.features(of: rows, featureColumns)
  }

  /// Converts columns of a table to columns for training.
  static func features(of table: MLDataTable, _ names: [String]) throws -> TrainingTable {
    if let error = table.error { throw error }
    return try creating {
      try TrainingTable(
        names.map { name in
          guard table.columnNames.contains(name) else {
            throw MLCreateError.generic(
              reason: "The table has no column '\(name)'; its columns are \(table.columnNames).")
          }
          let column: MLUntypedColumn = table[name]
          switch column.type {
          case .int, .double:
            // A column with missing values cannot hold integers in a model.
            let areIntegers: Bool =
              column.type == .int && column.values.allSatisfy(\.isValid)
            return (
              name,
              .numbers(column.values.map { $0.doubleValue ?? .nan }, areIntegers: areIntegers)
            )
          case .string: return (name, .words(column.values.map(\.stringValue)))
          case .sequence, .invalid:
            throw MLCreateError.type(
              reason: "Column '\(name)' holds values of type \(column.type), expected numbers or"
                + " text.")
          }
        })
    }
  }

  /// The target as numbers.
  ///
  /// - Throws: ``MLCreateError`` if the target is text.
  func numbers(_ name: String) throws -> [Double] {
    guard let numbers = target.doubles else {
      throw MLCreateError.type(
        reason: "The target '\(name)' has the type \(target.type), expected numbers; use a"
          + " classifier for text.")
    }
    return Array(numbers)
  }
}

/// The classes of a target column.
struct TableClasses {
  let classes: TableModel.Classes
  private let positions: [MLDataValue: Int]

  /// Finds the distinct values of a target, in ascending order.
  ///
  /// - Throws: ``MLCreateError`` if there are fewer than two, or if the values are neither integers nor text.
  init(_ target: MLUntypedColumn, named name: String) throws {
    let values: [MLDataValue]
    switch target.type {
    case .int:
      let integers: [Int] = Set(target.values.compactMap(\.intValue)).sorted()
      classes = .integers(integers)
      values = integers.map(MLDataValue.int)
    case .string:
      let words: [String] = Set(target.values.compactMap(\.stringValue)).sorted()
      classes = .words(words)
      values = words.map(MLDataValue.string)
    case .double, .sequence, .invalid:
      throw MLCreateError.type(
        reason: "The target '\(name)' has the type \(target.type), expected text or integers; use a"
          + " regressor for numbers.")
    }
    guard values.count > 1 else {
      throw MLCreateError.generic(
        reason: "The target '\(name)' has \(values.count) class, expected two or more.")
    }
    positions = Dictionary(uniqueKeysWithValues: values.enumerated().map { ($1, $0) })
  }

  /// The class of each value. A value that is no class is −1.
  func numbers(_ target: MLUntypedColumn) -> [Int] { target.values.map { positions[$0] ?? -1 } }

  /// The labels as text.
  var labels: [String] {
    switch classes {
    case .words(let words): words
    case .integers(let integers): integers.map(String.init)
    }
  }
}
