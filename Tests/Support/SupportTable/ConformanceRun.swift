import Foundation
import ModelTools

/// What coremltools says of the operations of ML Programs, and what came of its tests: the tables that stand
/// beside `exercised.tsv`.
struct ConformanceRun: Sendable {
  /// How an operation is defined.
  struct Definition: Sendable {
    /// The release that has it first, and those that define it anew.
    let releases: String
    /// The element types of its inputs.
    let types: String
  }

  /// By the operation's name; `Python/conformance/operations.py` writes them.
  let definitions: [String: Definition]
  /// The counts: group, precision, collected, passed, failed, skipped, expected to fail.
  let results: [[String]]
  /// What does not pass: test, precision, failed, of as many, why.
  let failures: [[String]]

  /// Reads the tables of a folder.
  ///
  /// - Throws: `ModelToolsError` with the line that is not of its form.
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

      The counts of the last run, by precision where a test has one; `Python/conformance/README.md` says what was run,
      and of the largest files which share.

      | group | precision | run | passed | failed | skipped | expected to fail |
      |---|---|--:|--:|--:|--:|--:|

      """
    for cells in results { text += "| \(cells.joined(separator: " | ")) |\n" }
    text += """

      What does not pass, and why:

      | test | precision | failed | of | reason |
      |---|---|--:|--:|---|

      """
    for cells in failures { text += "| \(cells.joined(separator: " | ")) |\n" }
    return text
  }
}
