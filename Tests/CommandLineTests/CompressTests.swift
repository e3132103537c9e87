import Foundation
import Testing

/// Tests `atelier compress` on a small style network, with a photo as the sample.
@Suite(.enabled(if: Program.isBuilt))
struct CompressTests {
  private static let model: String = GenerateTests.root.appendingPathComponent(
    "Examples/Scream.mlmodel"
  ).path
  private static let photo: String = GenerateTests.root.appendingPathComponent(
    "Documentation/Pictures/astronaut.jpg"
  ).path

  @Test("Several widths in several modes each give a file and a line, and a contact sheet")
  func table() throws {
    try Fixtures.withFolder { folder in
      let sheet: URL = folder.appendingPathComponent("sheet.png")
      let outcome = try Program.run([
        "compress", Self.model, "-o", folder.appendingPathComponent("small.mlmodel").path,
        "--bits", "16,8", "--mode", "linear,kmeans", "--sample", Self.photo, "--sheet", sheet.path,
      ])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let lines: [Substring] = outcome.output.split(separator: "\n")
      #expect(lines.count == 4, "\(outcome.output)")
      for (line, words) in zip(lines, ["original", "16 bits", "8 bits, linear", "8 bits, kmeans"]) {
        #expect(line.hasPrefix(words), "\(line)")
      }
      #expect(lines.dropFirst().allSatisfy { $0.contains("PSNR") && $0.contains("SSIM") })
      for name in ["small-16", "small-8-linear", "small-8-kmeans"] {
        let file: URL = folder.appendingPathComponent("\(name).mlmodel")
        #expect(FileManager.default.fileExists(atPath: file.path), "\(name)")
      }
      #expect(FileManager.default.fileExists(atPath: sheet.path))
    }
  }

  @Test("The JSON table has numbers under keys, and no sample folder remains")
  func json() throws {
    try Fixtures.withFolder { folder in
      let outcome = try Program.run([
        "compress", Self.model, "-o", folder.appendingPathComponent("small.mlmodel").path,
        "--bits", "16,8", "--mode", "kmeans", "--sample", Self.photo, "--json",
      ])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let rows = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
      #expect(rows.map { $0["bits"] as? Int } == [nil, 16, 8])
      #expect(rows.map { $0["mode"] as? String } == [nil, nil, "kmeans"])
      #expect(rows.allSatisfy { $0["bytes"] is Int })
      let nearness = rows.map { $0["nearness"] as? [String: Any] }
      // The second row is the model in float16. The original is in float16 too, so nothing differs and there is no
      // signal-to-noise ratio.
      #expect(nearness[0] == nil && nearness[1] != nil && nearness[1]?["decibels"] == nil)
      #expect(nearness[2]?["decibels"] is Double && nearness[2]?["structure"] is Double)
      let here: String = FileManager.default.currentDirectoryPath
      #expect(!FileManager.default.fileExists(atPath: here + "/unused"))
    }
  }

  @Test(
    "Invalid options are refused with the expected values",
    arguments: [
      (["--bits", "9"], "expected 16 or 1 to 8"), (["--mode", "linear,best"], "expected linear"),
      (["--until", "40"], "add --sample"), (["--sheet", "a.png"], "add --sample"),
    ])
  func refusals(options: [String], sentence: String) throws {
    try Fixtures.withFolder { folder in
      let target: URL = folder.appendingPathComponent("small.mlmodel")
      let outcome = try Program.run(["compress", Self.model, "-o", target.path] + options)
      #expect(outcome.status == 2 && outcome.errors.contains(sentence), "\(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: target.path))
    }
  }
}
