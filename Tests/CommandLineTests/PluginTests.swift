import Foundation
import Imaging
import ModelFormat
import Testing

@Suite(.enabled(if: Program.isBuilt))
struct PluginTests {
  private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A model of one custom layer, picture to picture.
  private static func model(className: String) -> Spec.Model {
    var custom = Spec.CustomLayerParams()
    custom.className = className
    var layer = Spec.NeuralNetworkLayer()
    layer.name = "custom"
    layer.input = ["image"]
    layer.output = ["painting"]
    layer.layer = .custom(custom)
    var network = Spec.NeuralNetwork()
    network.layers = [layer]
    func feature(_ name: String) -> Spec.FeatureDescription {
      var image = Spec.ImageFeatureType()
      image.width = 8
      image.height = 8
      image.colorSpace = .rgb
      var type = Spec.FeatureType()
      type.type = .imageType(image)
      var feature = Spec.FeatureDescription()
      feature.name = name
      feature.type = type
      return feature
    }
    var description = Spec.ModelDescription()
    description.input = [feature("image")]
    description.output = [feature("painting")]
    var model = Spec.Model()
    model.specificationVersion = 2
    model.description = description
    model.type = .neuralNetwork(network)
    return model
  }

  @Test("A custom layer is taken from a plug-in, and is missing without it")
  func plugin() throws {
    try Fixtures.withFolder { folder in
      let model: URL = folder.appendingPathComponent("posterizing.mlmodel")
      try Self.model(className: "PosterizeLambda").write(to: model)
      let photo: URL = folder.appendingPathComponent("photo.png")
      let pixels: [UInt8] = (0..<24 * 20 * 3).map { UInt8(truncatingIfNeeded: $0 &* 3) }
      try Picture(width: 24, height: 20, pixels: pixels).write(toFile: photo.path)
      let painting: URL = folder.appendingPathComponent("painting.png")
      let words: [String] = [
        "stylize", photo.path, "-m", model.path, "-o", painting.path, "--compute-units", "cpuOnly",
      ]

      let without = try Program.run(words)
      #expect(without.status == 1)
      #expect(
        without.errors.contains(
          "Error creating Core ML custom layer implementation from factory for layer"
            + " \"PosterizeLambda\"."))

      let library: URL = folder.appendingPathComponent("libPosterize.so")
      try Self.build(library)
      let with = try Program.run(words + ["--plugin", library.path])
      #expect(with.status == 0, "\(with.errors)")
      let expected: [UInt8] = pixels.map { UInt8((Double($0) / 85).rounded() * 85) }
      #expect(try Picture(contentsOf: painting).pixels == expected)
    }
  }

  private static func build(_ library: URL) throws {
    let process = Process()
    process.executableURL = root.appendingPathComponent("Scripts/build_plugin.sh")
    process.arguments = [
      root.appendingPathComponent("Examples/PosterizePlugin").path, library.path,
    ]
    var environment: [String: String] = ProcessInfo.processInfo.environment
    environment["ATELIER_BUILD"] = Program.binary?.deletingLastPathComponent().path
    process.environment = environment
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  @Test("A file that is no library is one line and exit code 1")
  func noLibrary() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("lib.so")
      try Data("text".utf8).write(to: file)
      let outcome = try Program.run("inspect", "x.mlmodel", "--plugin", file.path)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("cannot be loaded"))
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }
  }
}
