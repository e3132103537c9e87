import Foundation
import Imaging
import ModelFormat
import Testing

/// Tests the errors and warnings for models with image inputs and outputs.
@Suite(.enabled(if: Program.isBuilt))
struct PictureModelTests {
  private static let style: URL = GenerateTests.root.appendingPathComponent(
    "Examples/Scream.mlmodel")

  private func photo(_ width: Int, _ height: Int, in folder: URL) throws -> String {
    let file: String = folder.appendingPathComponent("photo-\(width)x\(height).png").path
    try Picture(
      width: width, height: height,
      pixels: (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0) }
    ).write(toFile: file)
    return file
  }

  /// Writes a model that classifies the brightness of a one-pixel image.
  private func classifier(in folder: URL) throws -> String {
    var product = Spec.InnerProductLayerParams()
    (product.inputChannels, product.outputChannels) = (1, 2)
    product.weights = Spec.WeightParams([0.01, -0.01])
    var network = Spec.NeuralNetworkClassifier()
    network.layers = [
      .making {
        ($0.name, $0.input, $0.output) = ("dense", ["image"], ["scores"])
        $0.layer = .innerProduct(product)
      },
      .making {
        ($0.name, $0.input, $0.output) = ("softmax", ["scores"], ["shares"])
        $0.layer = .softmax(Spec.SoftmaxLayerParams())
      },
    ]
    network.classLabels = .stringClassLabels(.making { $0.vector = ["bright", "dark"] })
    func feature(_ name: String, _ type: Spec.FeatureType.OneOfType) -> Spec.FeatureDescription {
      .making { feature in
        feature.name = name
        feature.type = .making { $0.type = type }
      }
    }
    let model: Spec.Model = .making { model in
      model.specificationVersion = 4
      model.type = .neuralNetworkClassifier(network)
      model.description = .making {
        $0.input = [
          feature(
            "image",
            .imageType(.making { ($0.width, $0.height, $0.colorSpace) = (1, 1, .grayscale) }))
        ]
        $0.output = [
          feature("label", .stringType(Spec.StringFeatureType())),
          feature(
            "shares",
            .dictionaryType(
              .making { $0.keyType = .stringKeyType(Spec.StringFeatureType()) })),
        ]
        $0.predictedFeatureName = "label"
        $0.predictedProbabilitiesName = "shares"
      }
    }
    let file: URL = folder.appendingPathComponent("light.mlmodel")
    try model.write(to: file)
    return file.path
  }

  @Test("Labels from the command line replace the model's; their number must match")
  func labels() throws {
    try Fixtures.withFolder { folder in
      let (model, photo) = (try classifier(in: folder), try photo(1, 1, in: folder))
      let own = try Program.run("classify", photo, "-m", model)
      #expect(own.status == 0 && own.output.contains("bright"), "\(own.errors)")
      let file: URL = folder.appendingPathComponent("labels.txt")
      try Data("day\nnight\n".utf8).write(to: file)
      let named = try Program.run("classify", photo, "-m", model, "--labels", file.path)
      #expect(named.status == 0, "\(named.errors)")
      #expect(
        named.output == own.output.replacing("bright", with: "day").replacing("dark", with: "night")
      )
      try Data("day\nnight\nnoon\n".utf8).write(to: file)
      let many = try Program.run("classify", photo, "-m", model, "--labels", file.path)
      #expect(many.status == 1)
      #expect(many.errors.contains("There are 3 labels, but 'light.mlmodel' has 2 classes"))
      let mean = try Program.run("classify", photo, "-m", model, "--mean", "1,2,3")
      #expect(mean.status == 2)
      #expect(mean.errors.contains("--mean is for networks that take numbers"), "\(mean.errors)")
    }
  }

  @Test("A style network is refused as a subject model, by the name of its image output")
  func subject() throws {
    try Fixtures.withFolder { folder in
      let outcome = try Program.run(
        "stylize", try photo(40, 30, in: folder), "--style", "scream", "--lite", "--subject",
        Self.style.path)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("' of model 'Scream.mlmodel' is a colour picture"))
      #expect(outcome.errors.contains("expected a mask"), "\(outcome.errors)")
    }
  }

  @Test("An unsaved image is reported with the way to save it, and so is a distorted image")
  func warnings() throws {
    try Fixtures.withFolder { folder in
      let input: String = "image=\(try photo(64, 48, in: folder))"
      let outcome = try Program.run("predict", Self.style.path, "-i", input)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("is not saved; name a folder with --output FOLDER"))
      #expect(
        outcome.errors.contains("has 64 × 48 pixels and is squeezed into"), "\(outcome.errors)")
      #expect(outcome.errors.contains("--crop-and-scale centerCrop or scaleFit"))
      let saved = try Program.run(
        "predict", Self.style.path, "-i", input, "--crop-and-scale", "centerCrop", "-o",
        folder.appendingPathComponent("out").path)
      #expect(saved.status == 0 && saved.errors.isEmpty, "\(saved.errors)")
      let answer = try #require(
        JSONSerialization.jsonObject(with: Data(saved.output.utf8)) as? [String: [String: Any]])
      let picture = try #require(answer.values.first)
      #expect(picture["width"] is Int && picture["height"] is Int && picture["file"] is String)
    }
  }
}
