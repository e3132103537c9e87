import Foundation
import Imaging
import Testing

/// Compares the results of `atelier evaluate` on digits with those of a NumPy script.
@Suite(.enabled(if: Program.isBuilt && Fixtures.areAvailable))
struct EvaluateTests {
  /// The results of Expected/evaluate_digits.py.
  private struct Expected: Decodable {
    let confusionMatrix: [[Int]]
    let top1: Int
    let top5: Int
  }

  private struct Report: Decodable {
    struct Mistake: Decodable {
      let source: String
      let truth: String
      let guess: String
    }

    let confusionMatrix: [[Int]]
    let labels: [String]
    let examples: Int
    let top1: Int
    let top5: Int?
    let worst: [Mistake]
  }

  private static let expected: Expected? = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Expected/evaluate_digits.json")
    return (try? Data(contentsOf: file)).flatMap {
      try? JSONDecoder().decode(Expected.self, from: $0)
    }
  }()

  /// Writes every tenth digit of the given rows of OpenCV's image into a folder for each label. The files have the
  /// training format: 20 × 20 pixels centred in 28 × 28.
  private func writeDigits(to folder: URL, rows: [Int]) throws {
    let sheet = try Picture(
      contentsOf: Fixtures.digits.deletingLastPathComponent().appendingPathComponent("digits.png"))
    let pixels: [UInt8] = sheet.pixels
    for row in rows {
      let label: URL = folder.appendingPathComponent("\(row / 5)")
      try FileManager.default.createDirectory(at: label, withIntermediateDirectories: true)
      for column in stride(from: row % 10, to: 100, by: 10) {
        var digit = [UInt8](repeating: 0, count: 28 * 28 * 3)
        for y in 0..<20 {
          for x in 0..<20 {
            let grey: UInt8 = pixels[((row * 20 + y) * 2000 + column * 20 + x) * 3]
            for channel in 0..<3 { digit[((y + 4) * 28 + x + 4) * 3 + channel] = grey }
          }
        }
        try Picture(width: 28, height: 28, pixels: digit)
          .write(toFile: label.appendingPathComponent("\(row)-\(column).png").path)
      }
    }
  }

  @Test("The results for 500 digits match NumPy's")
  func digits() throws {
    try Fixtures.withFolder { folder in
      let digits: URL = folder.appendingPathComponent("digits")
      try writeDigits(to: digits, rows: Array(0..<50))
      let sheet: URL = folder.appendingPathComponent("mistakes.png")
      let outcome = try Program.run(
        "evaluate", Fixtures.digits.path, digits.path, "--json", "--sheet", sheet.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
      let expected: Expected = try #require(Self.expected)
      #expect(report.examples == 500)
      #expect(report.top1 == expected.top1)
      #expect(report.top5 == expected.top5)
      let order: [Int] = report.labels.compactMap { Int($0) }
      try #require(order.sorted() == Array(0..<10))
      for (row, truth) in order.enumerated() {
        for (column, guess) in order.enumerated() {
          #expect(report.confusionMatrix[row][column] == expected.confusionMatrix[truth][guess])
        }
      }
      // The report lists every mistake, and each image is in the folder of its correct label.
      #expect(report.worst.count == 500 - expected.top1)
      for mistake in report.worst {
        #expect(mistake.source.contains("/\(mistake.truth)/"))
        #expect(mistake.truth != mistake.guess)
      }
      #expect(try Picture(contentsOf: sheet).width > 240)
    }
  }

  @Test("The text output has the shares of correct answers and the confusion matrix")
  func text() throws {
    try Fixtures.withFolder { folder in
      try writeDigits(to: folder, rows: [0, 5])
      let outcome = try Program.run("evaluate", Fixtures.digits.path, folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("right              20 of 20 (100.0 %)\n"))
      #expect(outcome.output.contains("   1  0  10   ·\n"), "\(outcome.output)")
    }
  }

  @Test("A table may also list images and labels")
  func table() throws {
    try Fixtures.withFolder { folder in
      try writeDigits(to: folder, rows: [5])
      let table: URL = folder.appendingPathComponent("digits.csv")
      try Data("image,label\n1/5-5.png,1\n1/5-15.png,7\n".utf8).write(to: table)
      let outcome = try Program.run("evaluate", Fixtures.digits.path, table.path, "--json")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
      #expect(report.examples == 2 && report.top1 == 1)
      #expect(report.worst.first?.truth == "7")
    }
  }

  @Test("An unknown label is refused with the closest known one")
  func unknownLabel() throws {
    try Fixtures.withFolder { folder in
      try writeDigits(to: folder, rows: [5])
      try FileManager.default.moveItem(
        at: folder.appendingPathComponent("1"), to: folder.appendingPathComponent("1x"))
      let outcome = try Program.run("evaluate", Fixtures.digits.path, folder.path)
      #expect(outcome.status == 1)
      #expect(
        outcome.errors.contains(
          "The label '1x' of the folder '1x' is not one of the model's 10; the nearest is '1'."),
        "\(outcome.errors)")
    }
  }

  @Test("A model that is not a classifier is refused")
  func noClassifier() throws {
    try Fixtures.withFolder { folder in
      let outcome = try Program.run("evaluate", Fixtures.styleBlue.path, folder.path)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("is not a classifier"), "\(outcome.errors)")
    }
  }
}
