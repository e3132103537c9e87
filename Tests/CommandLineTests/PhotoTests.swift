import Foundation
import Imaging
import ModelTools
import Testing

/// Tests `atelier similar` and `atelier learn`.
@Suite(.enabled(if: Program.isBuilt && Fixtures.areAvailable && FeaturePrint.isAvailable))
struct PhotoTests {
  private static let photos: URL = Fixtures.shared.appendingPathComponent("pictures/photos")

  @Test("The photo most similar to a cat's photo is of another cat")
  func similar() throws {
    let cat: String = Self.photos.appendingPathComponent("skimage-chelsea.png").path
    let outcome = try Program.run("similar", cat, Self.photos.path, "--top", "2")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first == "0.000  \(cat)")
    #expect(lines.last?.contains("cat-portrait") == true, "\(lines)")
  }

  @Test("Photos in folders train a classifier that labels other photos")
  func learning() throws {
    try Fixtures.withFolder { folder in
      let kinds: [String: String] = [
        "animal": "gcompris-worldanimals-", "building": "gcompris-monuments-",
      ]
      let names: [String] = try FileManager.default.contentsOfDirectory(atPath: Self.photos.path)
        .sorted()
      for (label, prefix) in kinds {
        let target: URL = folder.appendingPathComponent("photos/\(label)")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        for name in names.filter({ $0.hasPrefix(prefix) }).prefix(8) {
          try FileManager.default.copyItem(
            at: Self.photos.appendingPathComponent(name), to: target.appendingPathComponent(name))
        }
      }
      let model: String = folder.path + "/Kinds.mlmodel"
      let outcome = try Program.run("learn", folder.path + "/photos", "-o", model)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("learned 16 photos of 2 labels"), "\(outcome.output)")
      let cat = try Program.run(
        "classify", Self.photos.appendingPathComponent("skimage-chelsea.png").path, "-m", model)
      #expect(cat.output.contains("animal"), "\(cat.output)\(cat.errors)")
      #expect(cat.output.split(separator: "\n").first?.contains("animal") == true)
      let evaluation = try Program.run("evaluate", model, folder.path + "/photos")
      #expect(
        evaluation.output.contains("right              16 of 16"),
        "\(evaluation.output)\(evaluation.errors)")
    }
  }
}
