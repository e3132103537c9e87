import Conversion
import Foundation
import Graph
import ModelFormat
import ModelTools
import Testing

/// Tests how conversions treat the parameters of on-device training.
@Suite("An updatable network")
struct LearningTests {
  private static let house: URL = StyleProgramTests.shared.appendingPathComponent(
    "updatable-housing/s4tf_house_simplified_trainable_model.mlmodel")

  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private static func learners(_ model: Spec.Model) throws -> (
    names: [String], parameters: Spec.NetworkUpdateParameters
  ) {
    guard case .neuralNetwork(let network)? = model.type else { throw CocoaError(.fileReadUnknown) }
    let parameters = try #require(network.updateParams)
    return (network.layers.filter(\.isUpdatable).map(\.name).sorted(), parameters)
  }

  @Test(
    "Written as layers, the network keeps its updatable layers, loss and optimiser",
    .enabled(if: FileManager.default.fileExists(atPath: house.path)))
  func keeps() throws {
    try Self.withFolder { folder in
      let file: URL = folder.appendingPathComponent("again.mlmodel")
      var conversion = ModelConversion()
      conversion.names = ["output": "price"]
      try conversion.convert(Self.house, to: file)
      let (old, new) = (try ModelFile.open(Self.house).model, try ModelFile.open(file).model)
      #expect(new.isUpdatable)
      let (known, found) = (try Self.learners(old), try Self.learners(new))
      #expect(found.names == known.names && !known.names.isEmpty)
      #expect(found.parameters.optimizer == known.parameters.optimizer)
      #expect(found.parameters.epochs == known.parameters.epochs)
      let description = try #require(new.description)
      #expect(description.output.map(\.name) == ["price"])
      let inputs = description.input.map(\.name)
      #expect(description.trainingInput.map(\.name).filter { !inputs.contains($0) }.count == 1)
      #expect(try ModelConversion.losesLearning(Self.house, to: file) == false)
    }
  }

  @Test(
    "Written as a program or ONNX, the network is not updatable, and the converter says so",
    .enabled(if: FileManager.default.fileExists(atPath: house.path)),
    arguments: ["mlpackage", "onnx"])
  func loses(ending: String) throws {
    let target: URL = FileManager.default.temporaryDirectory.appendingPathComponent("a.\(ending)")
    #expect(try ModelConversion.losesLearning(Self.house, to: target))
  }
}
