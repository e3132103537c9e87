import Foundation
import Imaging
import Testing

/// Tests `atelier predict --also` and `atelier paint --content-only`.
@Suite(.enabled(if: Program.isBuilt && Fixtures.areAvailable))
struct AlsoTests {
  @Test("Layers are written as arrays and as contact sheets of their channels")
  func layers() throws {
    try Fixtures.withFolder { folder in
      let digit: String = folder.path + "/digit.png"
      try Picture(
        width: 28, height: 28,
        pixels: (0..<28 * 28 * 3).map { ($0 / 3 % 28) / 4 == 3 ? 255 : 0 }
      ).write(toFile: digit)
      let outcome = try Program.run(
        "predict", Fixtures.digits.path, "-i", "image=\(digit)", "--also", "conv2d_1", "--also",
        "dense_1", "-o", folder.path + "/out")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let names: [String] = try FileManager.default.contentsOfDirectory(
        atPath: folder.path + "/out/layers")
      #expect(
        names.sorted() == ["conv2d_1.npy", "conv2d_1.png", "dense_1.npy", "dense_1.png"])
      // The layer has 32 channels of 24 × 24 float32 values.
      let bytes = try Data(contentsOf: folder.appendingPathComponent("out/layers/conv2d_1.npy"))
      #expect(bytes.count % 64 == 0 && bytes.count >= 32 * 24 * 24 * 4 + 64)
      let sheet = try Picture(contentsOfFile: folder.path + "/out/layers/conv2d_1.png")
      #expect((sheet.width - 2) % 26 == 0 && (sheet.height - 2) % 26 == 0)
      #expect((sheet.width - 2) / 26 * ((sheet.height - 2) / 26) >= 32)
      #expect(outcome.output.contains("\"layer conv2d_1\""), "\(outcome.output)")
    }
  }

  @Test("--excite writes a picture that excites a channel, and its activation")
  func excite() throws {
    try Fixtures.withFolder { folder in
      let outcome = try Program.run(
        "predict", Fixtures.digits.path, "--excite", "LAYER:2", "--excite-steps", "3",
        "--excite-size", "48", "-o", folder.path)
      #expect(outcome.status == 1, "\(outcome.output)")
      #expect(outcome.errors.contains("has no layer 'LAYER'"), "\(outcome.errors)")
      let layer: String = "conv2d_1"
      let made = try Program.run(
        "predict", Fixtures.digits.path, "--excite", "\(layer):2", "--excite-steps", "3",
        "--excite-size", "48", "-o", folder.path)
      #expect(made.status == 0, "\(made.errors)")
      let file: URL = folder.appendingPathComponent("excite/\(layer)-2.png")
      #expect(try Picture(contentsOf: file).size == PictureSize(width: 48, height: 48))
      #expect(made.output.contains("\"activation\""), "\(made.output)")
    }
  }

  @Test("All layers of a network are written")
  func everyLayer() throws {
    try Fixtures.withFolder { folder in
      let digit: String = folder.path + "/digit.png"
      try Picture(width: 28, height: 28, pixels: [UInt8](repeating: 9, count: 28 * 28 * 3))
        .write(toFile: digit)
      let outcome = try Program.run(
        "predict", Fixtures.digits.path, "-i", "image=\(digit)", "--also", "all", "-o",
        folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let names: [String] = try FileManager.default.contentsOfDirectory(
        atPath: folder.path + "/layers")
      #expect(names.count { $0.hasSuffix(".npy") } == 14, "\(names)")
    }
  }

  @Test(
    "Conflicting options are refused",
    arguments: [
      (["predict", "M", "--also", "a"], "--also writes files; name a folder"),
      (["predict", "M", "--excite-steps", "9"], "--excite-steps needs --excite"),
      (["paint", "P", "-o", "a.png"], "--style PAINTING is missing."),
      (
        ["paint", "P", "-o", "a.png", "--style", "P", "--layer", "x"],
        "--layer needs --content-only"
      ),
      (["paint", "P", "-o", "a.png", "--style", "P", "--content-only"], "takes no --style"),
      (
        ["paint", "P", "-o", "a.png", "--style-only", "--content-only"],
        "leave nothing to paint"
      ),
    ])
  func refusals(words: [String], sentence: String) throws {
    let words: [String] = words.map {
      switch $0 {
      case "M": Fixtures.digits.path
      case "P": Fixtures.astronaut.path
      default: $0
      }
    }
    let outcome = try Program.run(words)
    #expect(outcome.status == 2, "\(outcome.output)")
    #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
  }
}
