import Foundation

/// A table of texts with a header: comma-separated values.
///
/// A cell may be enclosed in double quotes. Commas and line breaks in such a cell are text, and a pair of double quotes
/// means one double quote. If the header has no comma, semicolons or tabs separate the cells.
///
/// **Source:** RFC 4180.
public struct CSVTable: Sendable {
  /// The names of the columns.
  public let header: [String]
  /// The rows, each with one cell for every column of the header.
  public let rows: [[String]]

  /// Parses a table. `name` is used in messages.
  ///
  /// - Throws: ``TableError`` if there is no row below a header, or if a row has another number of cells.
  public init(_ text: String, name: String) throws {
    let first: Substring = text.prefix { !$0.isNewline }
    let separator: Character = [",", ";", "\t"].first { first.contains($0) } ?? ","
    let lines: [[String]] = try Self.lines(of: text, separator: separator, name: name)
    guard let header = lines.first, lines.count > 1 else {
      throw TableError("Table \(name) has no rows below a header. Name the columns in line 1.")
    }
    for (index, line) in lines.enumerated() where line.count != header.count {
      throw TableError(
        "Table \(name): row \(index) has \(line.count) cells, but the header names "
          + "\(header.count) columns.")
    }
    self.header = header.map { $0.trimmingCharacters(in: .whitespaces) }
    rows = Array(lines.dropFirst())
  }

  /// Splits text into lines of cells. Leaves out empty lines. `name` is used in messages.
  ///
  /// - Throws: ``TableError`` if a quote is never closed.
  public static func lines(
    of text: String, separator: Character, name: String
  ) throws -> [[String]] {
    let bare: Substring = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
    var lines: [[String]] = []
    var line: [String] = []
    var cell: String = ""
    var isQuoted = false
    var rest: Substring = bare
    while let character = rest.popFirst() {
      if isQuoted {
        if character != "\"" {
          cell.append(character)
        } else if rest.first == "\"" {
          cell.append("\"")
          rest = rest.dropFirst()
        } else {
          isQuoted = false
        }
      } else if character == "\"", cell.isEmpty {
        isQuoted = true
      } else if character == separator {
        line.append(cell)
        cell = ""
      } else if character.isNewline {
        lines.append(line + [cell])
        (line, cell) = ([], "")
      } else {
        cell.append(character)
      }
    }
    guard !isQuoted else {
      throw TableError("Table \(name): a quote in row \(lines.count) is never closed.")
    }
    if !cell.isEmpty || !line.isEmpty { lines.append(line + [cell]) }
    return lines.filter { $0 != [""] }
  }

  /// A cell as it is written: in double quotes if it has a comma, a quote or a line break.
  public static func quoted(_ cell: String) -> String {
    guard cell.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return cell }
    return "\"" + cell.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }
}
