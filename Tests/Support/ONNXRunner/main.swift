import Engine
import Foundation
import ModelFormat
import ONNXFormat

// Runs the tests of the `onnx` package that Scripts/write_onnx_tests.py has written. Prints one line for each test.
//
//     ONNXRunner FOLDER [--only NAME] [--table]
//
// `--table` writes the support page instead. Exits with status 1 if the outputs of a test are wrong.

let arguments = Array(CommandLine.arguments.dropFirst())
guard let folder = arguments.first else {
  print("ONNXRunner FOLDER [--only NAME] [--table]")
  exit(2)
}
let only: String? = arguments.firstIndex(of: "--only").map { arguments[$0 + 1] }
let url = URL(fileURLWithPath: folder)
let names: [String] = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  .filter { only.map($0.contains) ?? true }
var results: [(name: String, result: TestResult)] = []
let writesTable: Bool = arguments.contains("--table")
for name in names {
  let result = NodeTest(url.appendingPathComponent(name)).run()
  results.append((name, result))
  if !writesTable { print("\(result.word) \(name)\(result.reason.map { ": \($0)" } ?? "")") }
}
if writesTable {
  print(SupportPage(results).text, terminator: "")
} else {
  let counts: [String] = TestResult.words.map { word in
    "\(results.count { $0.result.word == word }) \(word)"
  }
  print("\(results.count) tests: \(counts.joined(separator: ", "))")
}
exit(results.contains { $0.result.word == "wrong" } ? 1 : 0)
