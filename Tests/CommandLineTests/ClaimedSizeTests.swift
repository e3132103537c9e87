import Foundation
import ModelFormat
import Testing

/// Tests commands on models that declare inputs too large for any machine, and on special files.
@Suite(.enabled(if: Program.isBuilt), .serialized)
struct ClaimedSizeTests {
  /// Builds `y = 2x` over an array or an image of the declared extents.
  private static func model(_ extents: [Int64], isImage: Bool) -> [UInt8] {
    var linear = Spec.ActivationLinear()
    linear.alpha = 2
    var activation = Spec.ActivationParams()
    activation.nonlinearityType = .linear(linear)
    var layer = Spec.NeuralNetworkLayer()
    layer.layer = .activation(activation)
    (layer.name, layer.input, layer.output) = ("double", ["x"], ["y"])
    var network = Spec.NeuralNetwork()
    network.layers = [layer]
    network.arrayInputShapeMapping = .exactArrayMapping
    var input = Spec.FeatureDescription()
    input.name = "x"
    input.type = Spec.FeatureType()
    if isImage {
      var image = Spec.ImageFeatureType()
      (image.width, image.height, image.colorSpace) = (extents[0], extents[1], .rgb)
      input.type?.type = .imageType(image)
    } else {
      var array = Spec.ArrayFeatureType()
      (array.shape, array.dataType) = (extents, .float32)
      input.type?.type = .multiArrayType(array)
    }
    var output = Spec.FeatureDescription()
    output.name = "y"
    output.type = Spec.FeatureType()
    output.type?.type = .multiArrayType(Spec.ArrayFeatureType())
    var model = Spec.Model()
    model.specificationVersion = 4
    model.description = Spec.ModelDescription()
    model.description?.input = [input]
    model.description?.output = [output]
    model.type = .neuralNetwork(network)
    return model.serialized()
  }

  @Test(
    "Every command refuses a declared input that is too large for any machine, with a message",
    arguments: [
      [1 << 32, 1 << 32], [-1, 4], [1 << 40, 1], [0, 4], [.max, .max], [.min, 2],
      [1 << 31, 1 << 31],
    ] as [[Int64]], [false, true])
  func claims(extents: [Int64], isImage: Bool) throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("claim.mlmodel")
      try Data(Self.model(extents, isImage: isImage)).write(to: file)
      for words in [
        ["bench", file.path, "--runs", "1"], ["predict", file.path, "--input", "x=1,2"],
        ["inspect", file.path, "--stage", "plan"],
      ] {
        let outcome = try Program.run(words)
        #expect(outcome.status == 1 || outcome.status == 2, "\(words[0]): \(outcome)")
        #expect(outcome.errors.hasPrefix("atelier \(words[0]): "), "\(words[0]): \(outcome)")
      }
    }
  }

  @Test("A pipe given as a model, an image or numbers is refused immediately")
  func pipes() throws {
    try Fixtures.withFolder { folder in
      let pipe: String = folder.appendingPathComponent("pipe.json").path
      try #require(mkfifo(pipe, 0o600) == 0)
      let model: URL = folder.appendingPathComponent("small.mlmodel")
      try Data(Self.model([2], isImage: false)).write(to: model)
      for words in [
        ["predict", pipe], ["inspect", pipe], ["bench", pipe],
        ["classify", pipe, "-m", model.path],
        ["predict", model.path, "--input", "x=\(pipe)"],
      ] {
        let outcome = try Program.run(words)
        #expect(outcome.status == 1, "\(words): \(outcome)")
        #expect(outcome.errors.contains("pipe"), "\(words): \(outcome)")
      }
    }
  }
}
