import Foundation
import Imaging
import ModelTools
import Testing

/// Tests `atelier detect` and `atelier see`.
@Suite(.enabled(if: Program.isBuilt))
struct DetectTests {
  private struct Found: Decodable {
    struct Box: Decodable { let x, y, width, height: Double }
    let label: String
    let confidence: Double
    let box: Box
  }

  private struct Expected: Decodable {
    let label: String
    let confidence: Double
    let box: [Double]
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Expected")
  private static let model: String = folder.appendingPathComponent("detector.mlmodel").path
  private static let photo: String = folder.appendingPathComponent("detector.png").path

  @Test(
    "A pipeline of coremltools gives the boxes and confidences that NumPy selects",
    arguments: [("usual", []), ("other", ["--confidence", "0.4", "--overlap", "0.1"])])
  func boxes(name: String, options: [String]) throws {
    let data = try Data(contentsOf: Self.folder.appendingPathComponent("detector.json"))
    let expected = try #require(
      try JSONDecoder().decode([String: [Expected]].self, from: data)[name])
    let outcome = try Program.run(
      ["detect", Self.photo, "-m", Self.model, "--json", "--compute-units", "cpuOnly"] + options)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let found = try JSONDecoder().decode([Found].self, from: Data(outcome.output.utf8))
    #expect(found.count == expected.count && found.count > 10)
    for (one, other) in zip(found, expected) {
      #expect(one.label == other.label)
      #expect(abs(one.confidence - other.confidence) < 1e-5)
      let box: [Double] = [one.box.x, one.box.y, one.box.width, one.box.height]
      for (mine, theirs) in zip(box, other.box) { #expect(abs(mine - theirs) < 1e-4) }
    }
  }

  @Test("Boxes are drawn in the colour of their label, at their places in a larger photo")
  func drawing() throws {
    try Fixtures.withFolder { folder in
      let large: URL = folder.appendingPathComponent("large.png")
      let drawn: URL = folder.appendingPathComponent("drawn.png")
      try Picture(contentsOfFile: Self.photo).scaled(toWidth: 400, height: 200)
        .write(toFile: large.path)
      let outcome = try Program.run(
        "detect", large.path, "-m", Self.model, "-o", drawn.path, "--json")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let found = try JSONDecoder().decode([Found].self, from: Data(outcome.output.utf8))
      let picture = try Picture(contentsOfFile: drawn.path)
      // The most confident box is drawn last, so nothing covers it.
      let box = try #require(found.first).box
      #expect(abs(box.width - 100) < 0.01 && abs(box.height - 50) < 0.01)
      let pixel = (Int(box.y) * picture.width + Int(box.x) + 20) * 3
      let colour: [UInt8] = Array(picture.pixels[pixel..<pixel + 3])
      #expect(colour == (found[0].label == "bright" ? [230, 40, 40] : [40, 200, 70]))
    }
  }

  @Test("Wrong models, thresholds and things are refused with a message")
  func refusals() throws {
    let outcome = try Program.run("detect", Self.photo, "-m", Self.model, "--overlap", "2")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--overlap is '2', expected a number from 0 to 1."))
    let unknown = try Program.run("see", Self.photo, "--find", "faces,cats")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("--find has 'cats', expected some of faces, hands"))
    try Fixtures.withFolder { folder in
      let missing = try Program.run(
        ["see", Self.photo, "--find", "faces"], environment: ["XDG_CACHE_HOME": folder.path])
      #expect(missing.status == 1)
      #expect(missing.errors.contains("Run `atelier fetch vision` once."), "\(missing.errors)")
    }
  }

  @Test(
    "The face and the body of an astronaut are found, and the mask of her is written",
    .enabled(if: FetchableModel.vision.isFetched() && Fixtures.areAvailable))
  func seeing() throws {
    try Fixtures.withFolder { folder in
      let photo: URL = Fixtures.shared.appendingPathComponent(
        "pictures/photos/skimage-astronaut.png")
      let (mask, drawn) = (
        folder.appendingPathComponent("m.png"), folder.appendingPathComponent("d.png")
      )
      let outcome = try Program.run(
        "see", photo.path, "--mask", mask.path, "-o", drawn.path, "--json", "--find",
        "faces,bodies,persons")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let found = try #require(
        try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      #expect((found["faces"] as? [Any])?.count == 1)
      #expect((found["bodies"] as? [Any])?.count == 1)
      #expect(found["hands"] == nil)
      let picture = try Picture(contentsOfFile: mask.path)
      #expect(picture.width == 512)
      // Her face is white in the mask, and the wall beside her is black.
      #expect(picture.pixels[(120 * 512 + 220) * 3] > 250)
      #expect(picture.pixels[(60 * 512 + 330) * 3] < 5)
      #expect(try Picture(contentsOfFile: drawn.path) != Picture(contentsOfFile: photo.path))
    }
  }
}
