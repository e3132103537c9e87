import Foundation
import Imaging
import Testing

/// Tests `atelier stylize --style-image` with the TFLite files of Magenta's two networks.
@Suite(.enabled(if: Program.isBuilt))
struct StyleImageTests {
  /// The options that name the files of both networks. Empty if the files were not fetched.
  private static let networkOptions: [String] = {
    let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("shared/models/tflite-style")
    let files: [String] = ["style_predict.tflite", "style_transfer.tflite"].map {
      folder.appendingPathComponent($0).path
    }
    guard files.allSatisfy({ FileManager.default.fileExists(atPath: $0) }) else { return [] }
    return ["--predictor", files[0], "--transformer", files[1]]
  }()

  /// Draws stripes of two colours.
  private func stripes(_ width: Int, _ height: Int, every step: Int, _ colors: [[UInt8]])
    throws -> Picture
  {
    try Picture(
      width: width, height: height,
      pixels: (0..<width * height).flatMap { colors[$0 % width / step % 2] })
  }

  /// Calls the closure in a folder with `photo.png` and two paintings.
  private func withPictures(_ body: (URL) throws -> Void) throws {
    try Fixtures.withFolder { folder in
      try stripes(96, 72, every: 9, [[200, 200, 200], [60, 80, 60]])
        .write(toFile: folder.appendingPathComponent("photo.png").path)
      try stripes(128, 128, every: 20, [[20, 40, 160], [240, 220, 40]])
        .write(toFile: folder.appendingPathComponent("blue.png").path)
      try stripes(128, 128, every: 3, [[160, 10, 10], [10, 10, 10]])
        .write(toFile: folder.appendingPathComponent("red.png").path)
      try body(folder)
    }
  }

  private func stylize(_ folder: URL, _ options: [String]) throws -> Program.Outcome {
    try Program.run(
      ["stylize", folder.appendingPathComponent("photo.png").path] + options,
      environment: ["XDG_CACHE_HOME": folder.path])
  }

  private func painted(_ folder: URL, _ options: [String]) throws -> [UInt8] {
    let outcome = try stylize(
      folder, options + Self.networkOptions + ["--compute-units", "cpuOnly"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let file = folder.appendingPathComponent("photo-blue.png")
    let painting = try Picture(contentsOf: file)
    #expect(painting.width == 96 && painting.height == 72)
    try FileManager.default.removeItem(at: file)
    return painting.pixels
  }

  @Test(
    "Weights mix paintings, and with strength 0 the painting has no effect",
    .enabled(if: !StyleImageTests.networkOptions.isEmpty))
  func mixing() throws {
    try withPictures { folder in
      let (blue, red) = (
        folder.appendingPathComponent("blue.png").path,
        folder.appendingPathComponent("red.png").path
      )
      let alone: [UInt8] = try painted(folder, ["--style-image", blue])
      let both: [String] = ["--style-image", blue, "--style-image", red]
      #expect(try painted(folder, both) != alone)
      #expect(try painted(folder, both + ["--style-weight", "1", "--style-weight", "0"]) == alone)
      let none: [UInt8] = try painted(folder, ["--style-image", blue, "--strength", "0"])
      #expect(none != alone)
      #expect(try painted(folder, both + ["--strength", "0"]) == none)
    }
  }

  @Test(
    "Conflicting options are refused with a message",
    arguments: [
      (["--strength", "0.5"], "--strength belongs to --style-image, which is missing."),
      (["--style-image", "blue.png", "--style", "a"], "leave out --style, --model"),
      (["--style-image", "blue.png", "--strength", "2"], "expected a number from 0 to 1"),
      (
        ["--style-image", "blue.png", "--style-weight", "1", "--style-weight", "2"],
        "--style-weight is given 2 times for 1 paintings."
      ),
      (["--style-image", "blue.png", "--predictor", "a.tflite"], "give both of them"),
    ])
  func refusals(options: [String], sentence: String) throws {
    try withPictures { folder in
      let outcome = try stylize(folder, options)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
    }
  }

  @Test("If the networks were not fetched, the message says how to fetch them")
  func notFetched() throws {
    try withPictures { folder in
      let painting: String = folder.appendingPathComponent("blue.png").path
      let outcome = try stylize(folder, ["--style-image", painting])
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("atelier fetch arbitrary-style"), "\(outcome.errors)")
    }
  }
}
