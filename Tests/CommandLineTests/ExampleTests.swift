import Foundation
import Imaging
import Testing

/// Tests the example programs in `Examples/`. Their binaries are beside the program under test.
@Suite(.serialized, .enabled(if: Fixtures.areAvailable))
struct ExampleTests {
  @Test(
    "The book's program gives the same image as ONNX Runtime",
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
      // With bfloat16, samples of 0…255 may differ from the reference by 0.8 on average. The limit is 1, because
      // rounding to integers adds to the difference.
      #expect(Double(sum) / Double(found.count) <= 1)
    }
  }

  @Test(
    "The book's program reports why it cannot paint",
    .enabled(if: Program.isBuilt("StyleTransferBook")))
  func missingPhoto() throws {
    let outcome = try Program.run(
      [Fixtures.starryNight.path, "/nowhere/photo.jpg", "/tmp/x.png"],
      program: "StyleTransferBook")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("/nowhere/photo.jpg cannot be read"))
  }

  @Test(
    "TensorFlow Lite's program stylises a frame after a painting",
    .enabled(if: Program.isBuilt("StyleTransferLite")))
  func styleTransferLite() throws {
    try Fixtures.withFolder { folder in
      let photo: URL = Fixtures.shared.appendingPathComponent(
        "pictures/photos/skimage-chelsea.png")
      let style: URL = Fixtures.shared.appendingPathComponent("pictures/photos/skimage-coffee.png")
      let painting: URL = folder.appendingPathComponent("painting.png")
      let models: URL = Fixtures.shared.appendingPathComponent("models/tflite-style")
      let outcome = try Program.run(
        [models.path, photo.path, style.path, painting.path], program: "StyleTransferLite")
      #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
      let found = try Picture(contentsOf: painting)
      #expect(found.size == PictureSize(width: 384, height: 384))
      // The result must resemble the photo without being the photo.
      let middle: [UInt8] = try Picture(contentsOf: photo).withoutAlpha.fitted(
        toWidth: 384, height: 384, mode: .centerCrop
      ).pixels
      let pairs = Array(zip(found.pixels, middle)).map { (Double($0.0), Double($0.1)) }
      let means = pairs.reduce((0.0, 0.0)) { ($0.0 + $1.0, $0.1 + $1.1) }
      let count = Double(pairs.count)
      var (both, first, second) = (0.0, 0.0, 0.0)
      for (a, b) in pairs {
        let (x, y) = (a - means.0 / count, b - means.1 / count)
        both += x * y
        first += x * x
        second += y * y
      }
      let likeness: Double = both / (first * second).squareRoot()
      #expect(likeness > 0.5 && likeness < 0.98, "\(likeness)")
    }
  }

  @Test(
    "TensorFlow Lite's program reports why it cannot paint",
    .enabled(if: Program.isBuilt("StyleTransferLite")))
  func missingLiteModel() throws {
    let outcome = try Program.run(
      ["/nowhere", "photo.png", "style.png", "/tmp/x.png"], program: "StyleTransferLite")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("The model's file cannot be opened"))
  }

  @Test(
    "The tutorial's program recognises the cat",
    .enabled(if: Program.isBuilt("Classification") && squeezeNet != nil))
  func classification() throws {
    let model: URL = try #require(squeezeNet)
    let photo: URL = Fixtures.shared.appendingPathComponent("pictures/photos/skimage-chelsea.png")
    let outcome = try Program.run([model.path, photo.path], program: "Classification")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("cat"))
  }
}
