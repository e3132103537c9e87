import Foundation
import ModelTools

/// For each layer type: how many tests of coremltools predict with a layer of this type, by test file.
/// `Python/conformance/exercised.py` writes these numbers as tab-separated lines. A line has a layer's field, a test
/// file and the number of test cases.
struct ExercisedLayers: Sendable {
  /// The number of test cases in one test file.
  struct File: Sendable {
    let name: String
    let cases: Int
  }

  private let files: [String: [File]]

  /// Reads the file that `exercised.py` writes.
  ///
  /// - Throws: `ModelToolsError` that contains the malformed line.
  init(contentsOf file: URL) throws {
    var files: [String: [File]] = [:]
    let text = try String(contentsOf: file, encoding: .utf8)
    for (number, line) in text.split(separator: "\n").enumerated() {
      let parts = line.split(separator: "\t")
      guard parts.count == 3, let cases = Int(parts[2]) else {
        throw ModelToolsError(
          .file,
          "\(file.path), line \(number + 1): expected a layer, a test file and a number with tabs between, found “\(line)”; Python/conformance/exercised.py writes such files."
        )
      }
      files[String(parts[0]), default: []].append(
        File(name: String(parts[1]).replacingOccurrences(of: ".py", with: ""), cases: cases))
    }
    self.files = files
  }

  /// Returns a cell of the support page: the number of cases, and the files with the most cases.
  func cell(_ layer: String) -> String {
    let sorted: [File] = (files[layer] ?? []).sorted { first, second in
      (-first.cases, first.name) < (-second.cases, second.name)
    }
    guard !sorted.isEmpty else { return "not counted" }
    let named: [String] = sorted.prefix(3).map { "\($0.name) \($0.cases)" }
    let total: Int = sorted.reduce(0) { $0 + $1.cases }
    let rest: Int = sorted.count - named.count
    let others: String =
      rest == 0 ? "" : rest == 1 ? ", another file" : ", \(rest) other files"
    return "\(total): \(named.joined(separator: ", "))\(others)"
  }
}
