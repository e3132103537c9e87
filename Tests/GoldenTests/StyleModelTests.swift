import BookLayers
import CoreML
import ModelFormat
import Testing

/// A model in the shared folder, with the results that ONNX Runtime computes.
struct GoldenModel: Sendable, CustomTestStringConvertible {
  let name: String
  let path: String
  /// Whether the planes of the model's array output are in the order blue, green, red.
  var isBlueFirst = false

  var testDescription: String { name }

  static let all = [
    GoldenModel(
      name: "FastStyleTransferVanGoghStarryNight",
      path: "starry-night/FastStyleTransferVanGoghStarryNight.mlmodel"),
    GoldenModel(name: "StyleBlue", path: "createml-style/StyleBlue.mlmodel"),
    GoldenModel(name: "Painting", path: "createml-style/Painting.mlmodel"),
    GoldenModel(name: "FNSCandy", path: "fns-style/FNSCandy.mlmodel", isBlueFirst: true),
  ]

  var folder: URL { Fixtures.shared.appendingPathComponent("golden/\(name)") }

  /// Returns the name and the constraint of the model's image input.
  private func image(of model: MLModel) throws -> (name: String, constraint: MLImageConstraint) {
    let (name, description) = try #require(
      model.modelDescription.inputDescriptionsByName.first { $0.value.type == .image })
    return (name, try #require(description.imageConstraint))
  }

  /// Returns the model's test input.
  func input(for model: MLModel) throws -> MLDictionaryFeatureProvider {
    let (name, constraint) = try image(of: model)
    let value = try MLFeatureValue(
      imageAt: folder.appendingPathComponent("input.png"), constraint: constraint)
    return try MLDictionaryFeatureProvider(dictionary: [name: value])
  }

  /// Returns an image with few different rows. In an image of 320 columns, for example, row y + 4 equals row y.
  /// Therefore, many tiles of a convolution round identically, and errors that average out in photos accumulate.
  func regularInput(for model: MLModel) throws -> MLDictionaryFeatureProvider {
    let (name, constraint) = try image(of: model)
    let width: Int = constraint.pixelsWide
    let buffer = try CVPixelBuffer.picture(width: width, height: constraint.pixelsHigh) {
      UInt8(truncatingIfNeeded: (($1 * width + $0) * 3 + $2) * 7919)
    }
    return try MLDictionaryFeatureProvider(dictionary: [name: buffer])
  }

  /// Returns the red, green and blue samples of each pixel, neither rounded nor clamped. Gets the samples from a copy
  /// of the model whose output is an array.
  func colours(_ configuration: MLModelConfiguration) async throws -> [Float] {
    var message = try ModelFile.open(Fixtures.model(path)).model
    var array = Spec.ArrayFeatureType()
    array.dataType = .float32
    message.description?.output[0].type?.type = .multiArrayType(array)
    // Core ML finds the book's custom layers (Tests/ListingTests/Book.swift) by name. Naming the classes here makes the
    // linker keep them.
    _ = (ResCropBlockLambda.self, RescaleOutputLambda.self)
    let asset = try MLModelAsset(specification: Data(message.serialized()))
    let model = try await MLModel.load(asset: asset, configuration: configuration)
    let output = try await model.prediction(from: input(for: model))
    let name = try #require(output.featureNames.first)
    let planes = try #require(output.featureValue(for: name)?.multiArrayValue).floats
    let area: Int = planes.count / 3
    return (0..<planes.count).map { (index: Int) -> Float in
      let channel: Int = isBlueFirst ? 2 - index % 3 : index % 3
      return planes[channel * area + index / 3]
    }
  }
}

@Suite("Style models against ONNX Runtime", .enabled(if: Fixtures.areAvailable), .serialized)
struct StyleModelTests {
  @Test(
    "The mean difference of the output values from ONNX Runtime's is within the bound",
    arguments: GoldenModel.all, Exactness.both)
  func numbers(model: GoldenModel, exactness: Exactness) async throws {
    let expected = try NumPyArray(contentsOf: model.folder.appendingPathComponent("expected.npy"))
    let difference = meanDifference(
      try await model.colours(exactness.configuration), expected.values)
    print("\(model.name), \(exactness.units): \(difference)")
    #expect(difference <= exactness.bound)
  }

  @Test(
    "Painted images match ONNX Runtime's except for rounding", arguments: GoldenModel.all,
    Exactness.both)
  func pictures(golden: GoldenModel, exactness: Exactness) throws {
    let model = try MLModel(
      contentsOf: Fixtures.model(golden.path), configuration: exactness.configuration)
    let output = try model.prediction(from: golden.input(for: model))
    let name = try #require(output.featureNames.first)
    let buffer = try #require(output.featureValue(for: name)?.imageBufferValue)
    let expected = try NumPyArray(contentsOf: golden.folder.appendingPathComponent("expected.npy"))
    let rounded: [Float] = expected.values.map { min(max($0, 0), 255).rounded() }
    let difference = meanDifference(buffer.colours, rounded)
    print("\(golden.name), \(exactness.units), pixels: \(difference)")
    // Some values are so close to n + ½ that float16 cannot tell them from it. Such a value may be rounded up in one
    // image and down in the other image.
    #expect(difference <= exactness.bound + 0.05)
  }

  @Test(
    "Kernels in any order paint a regular image as float32 does",
    arguments: GoldenModel.all, UInt64(1)...4)
  func anyKernels(golden: GoldenModel, seed: UInt64) throws {
    func colours(_ configuration: MLModelConfiguration) throws -> [Float] {
      let model = try MLModel(contentsOf: Fixtures.model(golden.path), configuration: configuration)
      let output = try model.prediction(from: golden.regularInput(for: model))
      let name = try #require(output.featureNames.first)
      return try #require(output.featureValue(for: name)?.imageBufferValue).colours
    }
    let exact = MLModelConfiguration()
    exact.computeUnits = .cpuOnly
    let configuration = MLModelConfiguration()
    configuration.kernelSeed = seed
    let difference = try meanDifference(colours(configuration), colours(exact))
    print("\(golden.name), regular, kernels \(seed): \(difference)")
    #expect(difference <= 2)
  }
}
