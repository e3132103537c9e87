import Foundation
import ModelTools
import Testing

/// Tests `atelier train` with one iteration on small pictures.
@Suite(.enabled(if: Program.isBuilt && FetchableModel.vgg16.isFetched()))
struct TrainCommandTests {
  @Test("The training as JSON has its losses and the written model")
  func json() throws {
    try Fixtures.withFolder { folder in
      let gallery: String = GenerateTests.root.appendingPathComponent("Gallery").path
      let model: String = folder.path + "/Scream.mlmodel"
      let outcome = try Program.run([
        "train", gallery + "/scream/painting.jpg", "--content", gallery + "/photos", "-o", model,
        "--algorithm", "cnnLite", "--initial", "none", "--iterations", "1", "--picture-side", "32",
        "--batch", "1", "--density", "64", "--json",
      ])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let report = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      #expect(report["model"] as? String == model && report["isFinished"] as? Bool == true)
      #expect(report["iterations"] as? Int == 1 && report["algorithm"] as? String == "cnnLite")
      let size = try FileManager.default.attributesOfItem(atPath: model)[.size] as? Int
      #expect(report["bytes"] as? Int == size)
      let losses = try #require(report["losses"] as? [String: Double])
      #expect((losses["total"] ?? 0) > 0 && (losses["style"] ?? 0) > 0, "\(losses)")
    }
  }
}
