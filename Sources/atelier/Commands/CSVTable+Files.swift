import Foundation
import Tables

extension CSVTable {
  /// Reads a table from a file.
  init(contentsOfFile path: String) throws {
    guard let data = try InputFile.contents(path) else {
      throw CommandError("Table '\(path)' cannot be read. Check the path.")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw CommandError("Table '\(path)' is not UTF-8 text. Save it as CSV in UTF-8.")
    }
    do {
      try self.init(text, name: "'\(path)'")
    } catch let error as TableError {
      throw CommandError(error.description)
    }
  }
}
