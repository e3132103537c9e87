import Foundation

/// A table of texts with a header: comma-separated values.
///
/// A cell may be enclosed in double quotes. Commas and line breaks in such a cell are text, and a pair of double quotes
/// means one double quote. If the header has no comma, semicolons or tabs separate the cells.
///
/// **Source:** RFC 4180.
struct CSVTable {
  /// The names of the columns.
  let header: [String]
  /// The rows, each with one cell for every column of the header.
  let rows: [[String]]

  /// Reads a table from a file.
  init(contentsOfFile path: String) throws {
    guard let data = try InputFile.contents(path) else {
      throw CommandError("Table '\(path)' cannot be read. Check the path.")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw CommandError("Table '\(path)' is not UTF-8 text. Save it as CSV in UTF-8.")
    }
    try self.init(text, name: "'\(path)'")
  }

  /// Parses a table. `name` is used in messages.
  init(_ text: String, name: String) throws {
    let bare: String = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    let first: Substring = bare.prefix { !$0.isNewline }
    let separator: Character = [",", ";", "\t"].first { first.contains($0) } ?? ","
    var lines: [[String]] = try Self.split(bare, separator, name: name)
    lines.removeAll { $0 == [""] }
    guard let header = lines.first, lines.count > 1 else {
      throw CommandError("Table \(name) has no rows below a header. Name the columns in line 1.")
    }
    for (index, line) in lines.enumerated() where line.count != header.count {
      throw CommandError(
        "Table \(name): row \(index) has \(line.count) cells, but the header names "
          + "\(header.count) columns.")
    }
    self.header = header.map { $0.trimmingCharacters(in: .whitespaces) }
    rows = Array(lines.dropFirst())
  }

  private static func split(
    _ text: String, _ separator: Character, name: String
  ) throws -> [[String]] {
    var lines: [[String]] = []
    var line: [String] = []
    var cell: String = ""
    var isQuoted = false
    var rest: Substring = text[...]
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
      throw CommandError("Table \(name): a quote in row \(lines.count) is never closed.")
    }
    if !cell.isEmpty || !line.isEmpty { lines.append(line + [cell]) }
    return lines
  }
}
