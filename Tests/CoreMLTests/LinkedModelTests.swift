import Foundation
import ModelFormat
import Testing

@testable import CoreML

/// Tests models that link to another model, and models that need Apple's private networks.
@Suite struct LinkedModelTests {
  private func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("LinkedModelTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  /// Builds a model that links to the file with the given name. The model has the features of the doubling model.
  private func link(to name: String, path: String? = nil) -> Spec.Model {
    func text(_ value: String) -> Spec.StringParameter {
      var parameter = Spec.StringParameter()
      parameter.defaultValue = value
      return parameter
    }
    var file = Spec.LinkedModelFile()
    file.linkedModelFileName = text(name)
    if let path { file.linkedModelSearchPath = text(path) }
    var linked = Spec.LinkedModel()
    linked.linkType = .linkedModelFile(file)
    var model: Spec.Model = SampleModels.doubling()
    model.specificationVersion = 4
    model.type = .linkedModel(linked)
    return model
  }

  private func answer(_ url: URL) throws -> Double? {
    let x = MLMultiArray(MLShapedArray<Float>(scalars: [1, 2, 3], shape: [3]))
    let output = try MLModel(contentsOf: url, configuration: exact()).prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["x": x]))
    return output.featureValue(for: "y")?.multiArrayValue?[2].doubleValue
  }

  @Test("A linked model loads the file next to it, or the one on its search path")
  func running() throws {
    try withFolder { folder in
      let other: URL = folder.appendingPathComponent("shared")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      try SampleModels.doubling().write(to: folder.appendingPathComponent("Near.mlmodel"))
      try SampleModels.doubling().write(to: other.appendingPathComponent("Far.mlmodel"))
      let near: URL = folder.appendingPathComponent("a.mlmodel")
      try link(to: "Near").write(to: near)
      #expect(try answer(near) == 7)
      let far: URL = folder.appendingPathComponent("b.mlmodel")
      try link(to: "Far.mlmodel", path: "nowhere:shared").write(to: far)
      #expect(try answer(far) == 7)
    }
  }

  @Test("Models that link to one file share its network until the file changes")
  func sharing() throws {
    try withFolder { folder in
      let target: URL = folder.appendingPathComponent("Near.mlmodel")
      try SampleModels.doubling().write(to: target)
      let (first, second) = (
        folder.appendingPathComponent("a.mlmodel"), folder.appendingPathComponent("b.mlmodel")
      )
      try link(to: "Near").write(to: first)
      try link(to: "Near.mlmodel").write(to: second)
      func runner(_ url: URL, _ configuration: MLModelConfiguration) throws -> SharedRunner {
        let model = try MLModel(contentsOf: url, configuration: configuration)
        return try #require(model.loaded.runner as? SharedRunner)
      }
      let one: SharedRunner = try runner(first, exact())
      #expect(try runner(second, exact()) === one)
      let oneThread = exact()
      oneThread.threadCount = (oneThread.threadCount ?? 64) + 1
      #expect(try runner(second, oneThread) !== one)
      try FileManager.default.removeItem(at: target)
      try SampleModels.doubling().write(to: target)
      #expect(try runner(second, exact()) !== one)
      #expect(try answer(first) == 7)
    }
  }

  @Test("A model that links to a missing model, or to itself, is refused")
  func refusals() throws {
    try withFolder { folder in
      let url: URL = folder.appendingPathComponent("a.mlmodel")
      try link(to: "missing").write(to: url)
      let words: String = sentence { _ = try answer(url) } ?? ""
      #expect(
        words.contains("is a link to 'missing', which is not in '\(folder.path)'"), "\(words)")
      try link(to: "a").write(to: url)
      let circle: String = sentence { _ = try answer(url) } ?? ""
      #expect(circle.contains("back to itself"), "\(circle)")
    }
  }

  @Test("For a model over a private Apple network, the error gives the reason and alternatives")
  func featurePrint() throws {
    var model: Spec.Model = SampleModels.doubling()
    model.specificationVersion = 3
    model.type = .visionFeaturePrint(Spec.CoreMLModels.VisionFeaturePrint())
    let words: String = sentence { _ = try model.loaded() } ?? ""
    #expect(
      words.contains("Apple's systems have the feature network, and the file does not"), "\(words)")
    #expect(words.contains("`atelier learn`"), "\(words)")
  }
}
