import Foundation
import Imaging
import Testing

/// The programs under `Examples/`, built beside the command line.
@Suite(.serialized, .enabled(if: Fixtures.areThere))
struct ExampleTests {
  @Test(
    "The book's program paints what ONNX Runtime paints",
    .enabled(if: Program.isBuilt("StyleTransferBook")))
  func styleTransferBook() throws {
    try Fixtures.withFolder { folder in
      let golden: URL = Fixtures.shared.appendingPathComponent(
        "golden/FastStyleTransferVanGoghStarryNight")
      let painting: URL = folder.appendingPathComponent("painting.png")
      let outcome = try Program.run(
        [
          Fixtures.starryNight.path, golden.appendingPathComponent("input.png").path,
          painting.path,
        ], program: "StyleTransferBook")
      #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
      let found: [UInt8] = try Picture(contentsOf: painting).pixels
      let expected: [UInt8] = try Picture(
        contentsOf: golden.appendingPathComponent("expected.png")
      ).pixels
      try #require(found.count == expected.count)
      let sum: Int = zip(found, expected).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      // Bfloat16 may depart by 0.8; rounding to whole samples adds up to as much again at worst.
      #expect(Double(sum) / Double(found.count) <= 1)
    }
  }

  @Test(
    "The book's program says why it cannot paint",
    .enabled(if: Program.isBuilt("StyleTransferBook")))
  func missingPhoto() throws {
    let outcome = try Program.run(
      [Fixtures.starryNight.path, "/nowhere/photo.jpg", "/tmp/x.png"],
      program: "StyleTransferBook")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("/nowhere/photo.jpg cannot be read"))
  }

  @Test(
    "The tutorial's program sees the cat",
    .enabled(if: Program.isBuilt("Classification") && squeezeNet != nil))
  func classification() throws {
    let model: URL = try #require(squeezeNet)
    let photo: URL = Fixtures.shared.appendingPathComponent("pictures/photos/skimage-chelsea.png")
    let outcome = try Program.run([model.path, photo.path], program: "Classification")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("cat"))
  }
}
