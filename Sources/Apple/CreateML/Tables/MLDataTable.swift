import Foundation
import Tensors

/// A table with named columns: examples for training, one in each row.
public struct MLDataTable: Sendable {
  /// The columns by name.
  private var columns: [String: MLUntypedColumn]
  private var names: [String]
  /// The error that made the table; nil if there was none.
  public let error: (any Error)?

  /// Makes a table without columns.
  public init() {
    columns = [:]
    names = []
    error = nil
  }

  init(error: any Error) {
    columns = [:]
    names = []
    self.error = error
  }

  /// Makes a table from lists of equal length, by column. Columns are in the order of their names.
  ///
  /// - Throws: ``MLCreateError`` if a value is no list, if a list mixes numbers and text, or if the lists differ in
  ///   length.
  public init(dictionary: [String: any MLDataValueConvertible]) throws {
    try self.init(
      ordered: dictionary.sorted { $0.key < $1.key }.map { name, list in
        guard let values = list.dataValue.sequenceValue else {
          throw MLCreateError.type(
            reason: "The value of column '\(name)' is one \(list.dataValue.type), expected an array"
              + " with one value for each row.")
        }
        guard let column = MLUntypedColumn(cells: Array(values)) else {
          throw MLCreateError.type(reason: "Column '\(name)' mixes numbers and text.")
        }
        return (name, column)
      })
  }

  /// Makes a table from columns of equal length. Columns are in the order of their names.
  ///
  /// - Throws: ``MLCreateError`` if the columns differ in length.
  public init(namedColumns: [String: MLUntypedColumn]) throws {
    try self.init(ordered: namedColumns.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  init(ordered: [(String, MLUntypedColumn)]) throws {
    for (name, column) in ordered where column.count != ordered[0].1.count {
      throw MLCreateError.generic(
        reason: "Column '\(name)' has \(column.count) rows, but column '\(ordered[0].0)' has"
          + " \(ordered[0].1.count).")
    }
    names = ordered.map(\.0)
    guard Set(names).count == names.count else {
      throw MLCreateError.generic(reason: "Two columns have the same name; rename one of them.")
    }
    columns = Dictionary(uniqueKeysWithValues: ordered)
    error = nil
  }

  /// The names of the columns, in their order.
  public var columnNames: ColumnNames { ColumnNames(names) }
  /// The types of the columns by name.
  public var columnTypes: [String: MLDataValue.ValueType] { columns.mapValues(\.type) }
  /// The numbers of rows and columns.
  public var size: (rows: Int, columns: Int) { (rowCount, names.count) }
  /// Whether no error made the table.
  public var isValid: Bool { error == nil }
  /// The rows.
  public var rows: Rows { Rows(self) }

  var rowCount: Int { names.first.flatMap { columns[$0]?.count } ?? 0 }

  /// The names of a table's columns.
  public struct ColumnNames: RandomAccessCollection, Sendable, CustomStringConvertible {
    private let names: [String]
    init(_ names: [String]) { self.names = names }
    /// The first position, 0.
    public var startIndex: Int { 0 }
    /// The number of names.
    public var endIndex: Int { names.count }
    /// The name at a position.
    public subscript(position: Int) -> String { names[position] }
    /// The names, separated by commas.
    public var description: String { names.joined(separator: ", ") }
  }

  /// The rows of a table.
  public struct Rows: RandomAccessCollection, Sendable {
    private let table: MLDataTable
    init(_ table: MLDataTable) { self.table = table }
    /// The first row, 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { table.rowCount }
    /// A row.
    public subscript(position: Int) -> Row { Row(table: table, position: position) }
  }

  /// A row of a table.
  public struct Row: Sendable {
    let table: MLDataTable
    let position: Int
    /// The value of a column. Nil if there is no such column.
    public subscript(columnName: String) -> MLDataValue? { table.columns[columnName]?[position] }
    /// The names of the columns.
    public var keys: ColumnNames { table.columnNames }
    /// The values in the order of the columns.
    public var values: [MLDataValue] { keys.compactMap { self[$0] } }
  }

  /// The column of a name. Reading a name that no column has gives a column with an error.
  public subscript(columnName: String) -> MLUntypedColumn {
    get { columns[columnName] ?? MLUntypedColumn(error: missing(columnName)) }
    set {
      if columns[columnName] == nil {
        addColumn(newValue, named: columnName)
      } else if newValue.count == rowCount {
        columns[columnName] = newValue
      } else {
        self = MLDataTable(
          error: MLCreateError.generic(
            reason: "Column '\(columnName)' has \(newValue.count) rows, but the table has"
              + " \(rowCount)."))
      }
    }
  }

  /// The column of a name with values of a type. Nil if there is no such column, or if it has another type.
  public subscript<Element: MLDataValueConvertible>(
    columnName: String, type: Element.Type
  ) -> MLDataColumn<Element>? {
    columns[columnName]?.column(type: type)
  }

  /// The columns with the given names.
  public subscript(columnNames: [String]) -> MLDataTable { selecting(columnNames) }

  /// The rows of a range.
  public subscript(slice: Range<Int>) -> MLDataTable { selecting(rows: Array(slice)) }

  /// The rows for which the mask is not 0.
  public subscript(mask: MLUntypedColumn) -> MLDataTable {
    selecting(rows: mask.values.indices.filter { (mask[$0].intValue ?? 0) != 0 })
  }

  /// The first rows.
  public func prefix(_ maxLength: Int = 10) -> MLDataTable {
    selecting(rows: Array(0..<Swift.min(max(0, maxLength), rowCount)))
  }

  /// The last rows.
  public func suffix(_ maxLength: Int = 10) -> MLDataTable {
    selecting(rows: Array(max(0, rowCount - max(0, maxLength))..<rowCount))
  }

  /// Adds a column.
  public mutating func addColumn(_ newColumn: MLUntypedColumn, named: String) {
    update { $0 + [(named, newColumn)] }
  }

  /// Adds a column.
  public mutating func addColumn<Element: MLDataValueConvertible>(
    _ newColumn: MLDataColumn<Element>, named: String
  ) {
    addColumn(MLUntypedColumn(newColumn), named: named)
  }

  /// Removes a column.
  public mutating func removeColumn(named: String) {
    guard columns[named] != nil else {
      self = MLDataTable(error: missing(named))
      return
    }
    update { $0.filter { $0.0 != named } }
  }

  /// Renames a column.
  public mutating func renameColumn(named: String, to: String) {
    guard columns[named] != nil else {
      self = MLDataTable(error: missing(named))
      return
    }
    update { $0.map { $0.0 == named ? (to, $0.1) : $0 } }
  }

  /// Adds the rows of another table with the same columns.
  public mutating func append(contentsOf table: MLDataTable) {
    guard !names.isEmpty else {
      self = table
      return
    }
    guard Set(names) == Set(table.names) else {
      self = MLDataTable(
        error: MLCreateError.generic(
          reason: "The table to append has the columns \(table.columnNames), expected"
            + " \(columnNames)."))
      return
    }
    update { columns in
      columns.map { name, column in
        var column = column
        column.append(contentsOf: table[name])
        return (name, column)
      }
    }
  }

  /// The rows in which every column has a value.
  public func dropMissing() -> MLDataTable {
    selecting(rows: (0..<rowCount).filter { row in columns.values.allSatisfy { $0[row].isValid } })
  }

  /// The rows without repeated ones.
  public func dropDuplicates() -> MLDataTable {
    var seen: Set<[MLDataValue]> = []
    return selecting(rows: (0..<rowCount).filter { seen.insert(rows[$0].values).inserted })
  }

  /// The table with a value in the place of a column's missing ones.
  public func fillMissing(columnNamed: String, with value: MLDataValue) -> MLDataTable {
    guard let column = columns[columnNamed] else { return MLDataTable(error: missing(columnNamed)) }
    var copy = self
    copy[columnNamed] = column.fillMissing(with: value)
    return copy
  }

  /// The rows in the order of a column. Rows without a value are last.
  public func sort(columnNamed: String, byIncreasingOrder: Bool = true) -> MLDataTable {
    guard let column = columns[columnNamed] else { return MLDataTable(error: missing(columnNamed)) }
    func isBefore(_ left: MLDataValue, _ right: MLDataValue) -> Bool {
      switch (left, right) {
      case (.invalid, _): false
      case (_, .invalid): true
      case (.string(let left), .string(let right)):
        byIncreasingOrder ? left < right : left > right
      default:
        byIncreasingOrder
          ? (left.doubleValue ?? 0) < (right.doubleValue ?? 0)
          : (left.doubleValue ?? 0) > (right.doubleValue ?? 0)
      }
    }
    let order: [Int] = (0..<rowCount).sorted { left, right in
      if isBefore(column[left], column[right]) { return true }
      return !isBefore(column[right], column[left]) && left < right
    }
    return selecting(rows: order)
  }

  /// Splits the rows at random: about `proportion` of them into the first table, the others into the second.
  public func randomSplit(
    by proportion: Double, seed: Int = Int(Date().timeIntervalSince1970)
  ) -> (MLDataTable, MLDataTable) {
    let order: [Int] = shuffled(seed: seed)
    let count = Int((Swift.min(max(proportion, 0), 1) * Double(rowCount)).rounded())
    return (
      selecting(rows: order[..<count].sorted()), selecting(rows: order[count...].sorted())
    )
  }

  /// Draws about `proportion` of the rows at random.
  public func randomSample(
    by proportion: Double, seed: Int = Int(Date().timeIntervalSince1970)
  ) -> MLDataTable {
    randomSplit(by: proportion, seed: seed).0
  }

  /// Splits the rows at random so that every value of a column has the same share in both tables.
  public func stratifiedSplit(
    proportion: Double, on columnName: String, seed: Int = Int(Date().timeIntervalSince1970)
  ) -> (MLDataTable, MLDataTable) {
    guard let column = columns[columnName] else {
      return (MLDataTable(error: missing(columnName)), MLDataTable(error: missing(columnName)))
    }
    var rows: [MLDataValue: [Int]] = [:]
    for row in shuffled(seed: seed) { rows[column[row], default: []].append(row) }
    var parts: ([Int], [Int]) = ([], [])
    for members in rows.values {
      let count = Int((Swift.min(max(proportion, 0), 1) * Double(members.count)).rounded())
      parts.0 += members[..<count]
      parts.1 += members[count...]
    }
    return (selecting(rows: parts.0.sorted()), selecting(rows: parts.1.sorted()))
  }

  /// Makes a column by converting each row.
  public func map<T: MLDataValueConvertible>(_ transform: (Row) throws -> T) rethrows
    -> MLDataColumn<T>
  {
    MLDataColumn(try rows.map(transform))
  }

  private func shuffled(seed: Int) -> [Int] {
    var generator = SplitMix64(seed: UInt64(bitPattern: Int64(seed)))
    return (0..<rowCount).shuffled(using: &generator)
  }

  func selecting(rows: [Int]) -> MLDataTable {
    var copy = self
    copy.columns = columns.mapValues { column in
      MLUntypedColumn(values: rows.map { column[$0] }, type: column.type)
    }
    return copy
  }

  private func selecting(_ wanted: [String]) -> MLDataTable {
    for name in wanted where columns[name] == nil { return MLDataTable(error: missing(name)) }
    return making(wanted.compactMap { name in columns[name].map { (name, $0) } })
  }

  private mutating func update(
    _ change: ([(String, MLUntypedColumn)]) -> [(String, MLUntypedColumn)]
  ) {
    self = making(change(names.compactMap { name in columns[name].map { (name, $0) } }))
  }

  private func making(_ ordered: [(String, MLUntypedColumn)]) -> MLDataTable {
    if let error = ordered.lazy.compactMap(\.1.error).first { return MLDataTable(error: error) }
    do {
      return try MLDataTable(ordered: ordered)
    } catch {
      return MLDataTable(error: error)
    }
  }

  private func missing(_ name: String) -> MLCreateError {
    .generic(reason: "The table has no column '\(name)'; its columns are \(columnNames).")
  }
}

extension MLDataTable: CustomStringConvertible {
  /// The size, the types of the columns, and the first ten rows.
  public var description: String {
    if let error { return "invalid table: \(error)" }
    let types: String = names.map { "\($0): \(columns[$0]?.type.description ?? "")" }
      .joined(separator: ", ")
    let first: [String] = prefix(10).rows.map { row in
      row.values.map(\.description).joined(separator: "\t")
    }
    return (["\(rowCount) rows, \(names.count) columns (\(types))"] + first)
      .joined(separator: "\n")
  }
}
