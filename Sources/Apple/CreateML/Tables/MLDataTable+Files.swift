import Foundation
import Tables

extension MLDataTable {
  /// How the text of a table is read.
  public struct ParsingOptions: Sendable {
    /// Whether the first line names the columns. Otherwise, their names are X1, X2 and so on.
    public var containsHeader: Bool
    /// What separates the cells of a line.
    public var delimiter: String
    /// Lines that begin with this text are skipped.
    public var comment: String
    /// The texts that mean that a cell has no value.
    public var missingValues: [String]
    /// The columns to read. Nil reads all.
    public var selectColumns: [String]?
    /// The greatest number of rows to read. Nil reads all.
    public var maxRows: Int?
    /// The number of lines to skip at the beginning.
    public var skipRows: Int

    /// Makes options.
    public init(
      containsHeader: Bool = true, delimiter: String = ",", comment: String = "",
      missingValues: [String] = ["NA", ""], selectColumns: [String]? = nil, maxRows: Int? = nil,
      skipRows: Int = 0
    ) {
      self.containsHeader = containsHeader
      self.delimiter = delimiter
      self.comment = comment
      self.missingValues = missingValues
      self.selectColumns = selectColumns
      self.maxRows = maxRows
      self.skipRows = skipRows
    }
  }

  /// Reads a table from a file: comma-separated values, or JSON if the name ends in `.json`.
  ///
  /// A JSON file holds an array of objects: one object for each row, with the columns as keys. A column whose cells are
  /// all numbers has numbers; any other column has text.
  ///
  /// - Throws: ``MLCreateError`` if the file cannot be read, or if it is not a table.
  public init(contentsOf url: URL, options: ParsingOptions = ParsingOptions()) throws {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw MLCreateError.io(reason: "The table '\(url.path)' cannot be read. Check the path.")
    }
    if url.pathExtension.lowercased() == "json" {
      try self.init(json: data, name: url.path)
    } else {
      try self.init(csv: data, name: url.path, options)
    }
    if let wanted = options.selectColumns {
      self = self[wanted]
      if let error { throw error }
    }
    if let most = options.maxRows { self = prefix(most) }
  }

  private init(csv data: Data, name: String, _ options: ParsingOptions) throws {
    guard let text = String(data: data, encoding: .utf8) else {
      throw MLCreateError.io(reason: "The table '\(name)' is not UTF-8 text.")
    }
    guard options.delimiter.count == 1, let separator = options.delimiter.first else {
      throw MLCreateError.generic(
        reason: "The delimiter is '\(options.delimiter)', expected one character.")
    }
    var lines: [[String]]
    do {
      lines = try CSVTable.lines(of: text, separator: separator, name: "'\(name)'")
    } catch let error as TableError {
      throw MLCreateError.io(reason: error.description)
    }
    lines.removeFirst(min(max(0, options.skipRows), lines.count))
    if !options.comment.isEmpty {
      lines.removeAll { $0.first?.hasPrefix(options.comment) == true }
    }
    guard let first = lines.first else {
      throw MLCreateError.io(reason: "The table '\(name)' has no lines.")
    }
    let names: [String] =
      options.containsHeader
      ? first.map { $0.trimmingCharacters(in: .whitespaces) }
      : first.indices.map { "X\($0 + 1)" }
    if options.containsHeader { lines.removeFirst() }
    for (row, line) in lines.enumerated() where line.count != names.count {
      throw MLCreateError.io(
        reason: "The table '\(name)': row \(row + 1) has \(line.count) cells, expected"
          + " \(names.count).")
    }
    try self.init(
      ordered: names.indices.map { index in
        (names[index], Self.column(lines.map { $0[index] }, missing: Set(options.missingValues)))
      })
  }

  /// Makes a column of integers, numbers or text: the first of these types that fits all cells.
  private static func column(_ cells: [String], missing: Set<String>) -> MLUntypedColumn {
    let trimmed: [String?] = cells.map { cell in
      let bare: String = cell.trimmingCharacters(in: .whitespaces)
      return missing.contains(bare) ? nil : bare
    }
    func values(_ convert: (String) -> MLDataValue?) -> [MLDataValue]? {
      var values: [MLDataValue] = []
      values.reserveCapacity(trimmed.count)
      for cell in trimmed {
        guard let cell else {
          values.append(.invalid)
          continue
        }
        guard let value = convert(cell) else { return nil }
        values.append(value)
      }
      return values
    }
    if let integers = values({ Int($0).map(MLDataValue.int) }) {
      return MLUntypedColumn(values: integers, type: .int)
    }
    if let numbers = values({ Double($0).map(MLDataValue.double) }) {
      return MLUntypedColumn(values: numbers, type: .double)
    }
    return MLUntypedColumn(values: values { .string($0) } ?? [], type: .string)
  }

  private init(json data: Data, name: String) throws {
    let parsed: Any? = try? JSONSerialization.jsonObject(with: data)
    guard let objects = parsed as? [[String: Any]], !objects.isEmpty else {
      throw MLCreateError.io(
        reason: "The table '\(name)' is not a JSON array of objects, one for each row.")
    }
    let names: [String] = Set(objects.flatMap(\.keys)).sorted()
    try self.init(
      ordered: names.map { column in
        let cells: [MLDataValue] = try objects.enumerated().map { row, object in
          switch object[column] {
          case nil, is NSNull: return .invalid
          case let text as String: return .string(text)
          case let number as NSNumber:
            let isInteger: Bool =
              number.doubleValue == number.doubleValue.rounded()
              && abs(number.doubleValue) < 0x1p53
            return isInteger ? .int(number.intValue) : .double(number.doubleValue)
          default:
            throw MLCreateError.io(
              reason: "The table '\(name)': column '\(column)' of row \(row) holds a list or an"
                + " object, expected a number or text.")
          }
        }
        guard let values = MLUntypedColumn(cells: cells) else {
          throw MLCreateError.io(
            reason: "The table '\(name)': column '\(column)' mixes numbers and text.")
        }
        return (column, values)
      })
  }

  /// Writes the table as comma-separated values.
  public func writeCSV(to fileURL: URL) throws {
    if let error { throw error }
    var text: String = columnNames.map(CSVTable.quoted).joined(separator: ",") + "\n"
    for row in rows {
      text += row.values.map { CSVTable.quoted($0.description) }.joined(separator: ",") + "\n"
    }
    do {
      try Data(text.utf8).write(to: fileURL, options: .atomic)
    } catch {
      throw MLCreateError.io(reason: "The table '\(fileURL.path)' cannot be written.")
    }
  }

  /// Writes the table as comma-separated values.
  public func writeCSV(toFile path: String) throws {
    try writeCSV(to: URL(fileURLWithPath: path))
  }
}
