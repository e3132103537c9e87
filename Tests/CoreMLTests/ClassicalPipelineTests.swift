import CoreML
import Foundation
import ModelFormat
import Testing

/// Classical models that are not part of the project.
private enum Shared {
  static let models: URL = {
    if let path = ProcessInfo.processInfo.environment["ATELIER_SHARED"] {
      return URL(fileURLWithPath: path).appendingPathComponent("models")
    }
    let root: URL = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return root.deletingLastPathComponent().appendingPathComponent("shared/models")
  }()

  static var areAvailable: Bool {
    FileManager.default.fileExists(atPath: models.appendingPathComponent("classical").path)
  }

  static func model(_ path: String) throws -> MLModel {
    try MLModel(contentsOf: models.appendingPathComponent(path), configuration: exact())
  }
}

@Suite("Pipelines of classical models")
struct ClassicalPipelineTests {
  @Test("A pipeline of feature engineering and a regressor accepts strings and numbers")
  func featureEngineering() throws {
    var encoder = Spec.OneHotEncoder()
    var categories = Spec.StringVector()
    categories.vector = ["red", "green"]
    encoder.categoryType = .stringCategories(categories)
    var stages: [Spec.Model] = []
    stages.append(
      ClassicalModelTests.model(
        .oneHotEncoder(encoder), inputs: [SampleModels.feature("colour", SampleModels.string())],
        outputs: [SampleModels.array("code", [2], .double)]))
    stages.append(
      ClassicalModelTests.model(
        ClassicalModelTests.vectorizer([("code", 2), ("size", 1)]),
        inputs: [
          SampleModels.array("code", [2], .double),
          SampleModels.feature("size", ClassicalModelTests.double()),
        ], outputs: [SampleModels.array("features", [3], .double)]))
    stages.append(
      ClassicalModelTests.model(
        ClassicalModelTests.regressor([10, 20, 3], offset: 1),
        inputs: [SampleModels.array("features", [3], .double)],
        outputs: [SampleModels.feature("price", ClassicalModelTests.double())]))
    let model: MLModel = try pipeline(
      stages,
      inputs: [
        SampleModels.feature("colour", SampleModels.string()),
        SampleModels.feature("size", ClassicalModelTests.double()),
      ], outputs: [SampleModels.feature("price", ClassicalModelTests.double())])
    let input = try MLDictionaryFeatureProvider(dictionary: ["colour": "green", "size": 2])
    #expect(try model.prediction(from: input).featureValue(for: "price")?.doubleValue == 27)
  }

  @Test(
    "Between a pipeline's models, values are converted to the types that the next model declares")
  func conversions() throws {
    let model: MLModel = try pipeline(
      [
        ClassicalModelTests.model(
          ClassicalModelTests.regressor([2], offset: 1),
          inputs: [SampleModels.feature("x", ClassicalModelTests.double())],
          outputs: [SampleModels.feature("y", ClassicalModelTests.double())]),
        SampleModels.network(
          "y", "z", shape: [1]),
        ClassicalModelTests.model(
          ClassicalModelTests.regressor([10], offset: 0),
          inputs: [SampleModels.feature("z", ClassicalModelTests.double())],
          outputs: [SampleModels.feature("w", ClassicalModelTests.double())]),
      ], inputs: [SampleModels.feature("x", ClassicalModelTests.double())],
      outputs: [SampleModels.feature("w", ClassicalModelTests.double())])
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": 3.0])
    #expect(try model.prediction(from: input).featureValue(for: "w")?.doubleValue == 150)
  }

  private func pipeline(
    _ models: [Spec.Model], inputs: [Spec.FeatureDescription], outputs: [Spec.FeatureDescription]
  ) throws -> MLModel {
    var pipeline = Spec.Pipeline()
    pipeline.models = models
    return try ClassicalModelTests.model(.pipeline(pipeline), inputs: inputs, outputs: outputs)
      .loaded()
  }

  @Test("MarsHabitatPricer's prices match its weights", .enabled(if: Shared.areAvailable))
  func habitats() throws {
    let model: MLModel = try Shared.model("classical/MarsHabitatPricer.mlmodel")
    let input = try MLDictionaryFeatureProvider(
      dictionary: ["solarPanels": 1.0, "greenhouses": 2.0, "size": 750.0])
    let price: Double =
      try model.prediction(from: input).featureValue(for: "price")?.doubleValue ?? 0
    #expect(abs(price - 2083.2525) < 0.01)
  }

  @Test(
    "The mushroom tree classifies its training data correctly", .enabled(if: Shared.areAvailable))
  func mushrooms() throws {
    let model: MLModel = try Shared.model("classical/DecisionTreeModel-Mushrooms.mlmodel")
    let table: URL = Shared.models.appendingPathComponent("classical/Mushrooms.csv")
    let lines: [Substring] = try String(contentsOf: table, encoding: .utf8)
      .split(whereSeparator: \.isNewline)
    let names: [String] = lines[0].split(separator: ",").map(String.init)
    var right: Int = 0
    let rows: ArraySlice<Substring> = lines.dropFirst().prefix(2000)
    for line in rows {
      let values: [String] = line.split(separator: ",").map(String.init)
      var features: [String: Any] = [:]
      for (name, value) in zip(names, values).dropFirst() { features[name] = value }
      let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: features))
      if output.featureValue(for: "class")?.stringValue == values[0] { right += 1 }
    }
    #expect(right > rows.count * 98 / 100)
  }

  @Test("The spam classifier uses its 8,713 words", .enabled(if: Shared.areAvailable))
  func spam() throws {
    let model: MLModel = try Shared.model("classical/SpamClassifier.mlmodel")
    let words = MLShapedArray<Double>(repeating: 0, shape: [8713])
    let input = try MLDictionaryFeatureProvider(dictionary: ["message": MLMultiArray(words)])
    let output = try model.prediction(from: input)
    let probabilities: [AnyHashable: NSNumber] =
      output.featureValue(for: "classProbability")?.dictionaryValue ?? [:]
    #expect(probabilities.count == 2)
    #expect(abs(probabilities.values.reduce(0) { $0 + $1.doubleValue } - 1) < 1e-9)
    #expect(output.featureValue(for: "spam_or_not")?.stringValue == "ham")
  }

  @Test("An untrained drawing classifier recognises no drawing", .enabled(if: Shared.areAvailable))
  func drawings() throws {
    let model: MLModel = try Shared.model("updatable-drawing/UpdatableDrawingClassifier.mlmodel")
    let constraint: MLImageConstraint? = model.modelDescription.inputDescriptionsByName["drawing"]?
      .imageConstraint
    var buffer: CVPixelBuffer?
    _ = CVPixelBufferCreate(
      nil, constraint?.pixelsWide ?? 0, constraint?.pixelsHigh ?? 0,
      constraint?.pixelFormatType ?? 0, nil, &buffer)
    let drawing: CVPixelBuffer = try #require(buffer)
    let output = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["drawing": drawing]))
    #expect(output.featureValue(for: "label")?.stringValue == "unknown")
    #expect(model.modelDescription.classLabels as? [String] == ["unknown"])
  }
}

extension SampleModels {
  /// Builds `2x + 1` over an array. `input` and `output` are the names of the features.
  fileprivate static func network(_ input: String, _ output: String, shape: [Int64]) -> Spec.Model {
    var model: Spec.Model = network([linear(alpha: 2, beta: 1, from: input, to: output)])
    model.description?.input = [array(input, shape)]
    model.description?.output = [array(output, shape)]
    return model
  }
}
