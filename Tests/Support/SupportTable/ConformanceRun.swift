import Foundation
import ModelTools

/// coremltools' definitions of the operations of ML Programs, and the results of coremltools' tests. Both are read from
/// tables in the folder that contains `exercised.tsv`.
struct ConformanceRun: Sendable {
  /// The definition of an operation.
  struct Definition: Sendable {
    /// The release that introduced the operation, and the releases that redefined it.
    let releases: String
    /// The element types of the operation's inputs.
    let types: String
  }

  /// Definitions by operation name, from the table that `Python/conformance/operations.py` writes.
  let definitions: [String: Definition]
  /// Rows of counts. The columns are group, precision, collected, passed, failed, skipped, and expected to fail.
  let results: [[String]]
  /// Rows of failing tests. The columns are test, precision, failed, total, and reason.
  let failures: [[String]]

  /// Reads the tables in a folder.
  ///
  /// - Throws: `ModelToolsError` that contains the malformed line.
  init(in folder: URL) throws {
    var definitions: [String: Definition] = [:]
    for cells in try Self.lines(of: folder.appendingPathComponent("operations.tsv"), cells: 3) {
      definitions[cells[0]] = Definition(
        releases: cells[1].replacingOccurrences(of: " ", with: ", "), types: cells[2])
    }
    self.definitions = definitions
    results = try Self.lines(of: folder.appendingPathComponent("results.tsv"), cells: 7)
    failures = try Self.lines(of: folder.appendingPathComponent("failures.tsv"), cells: 5)
  }

  private static func lines(of file: URL, cells: Int) throws -> [[String]] {
    let text = try String(contentsOf: file, encoding: .utf8)
    return try text.split(separator: "\n").enumerated().map { number, line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == cells else {
        throw ModelToolsError(
          .file,
          "\(file.path), line \(number + 1): expected \(cells) cells with tabs between, found \(parts.count)."
        )
      }
      return parts
    }
  }

  /// The counts and the failures as Markdown.
  var markdown: String {
    var text = """

      # coremltools' tests of ML Programs

      The counts of the last run, by precision if a test has one. `Python/conformance/README.md` says which tests were run.

      | group | precision | run | passed | failed | skipped | expected to fail |
      |---|---|--:|--:|--:|--:|--:|

      """
    for cells in results { text += "| \(cells.joined(separator: " | ")) |\n" }
    text += """

      The tests that fail, and why:

      | test | precision | failed | of | reason |
      |---|---|--:|--:|---|

      """
    for cells in failures { text += "| \(cells.joined(separator: " | ")) |\n" }
    return text
  }
}
