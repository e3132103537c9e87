import CoreML
import Foundation
import ModelFormat
import Testing

@Suite("Classical models")
struct ClassicalModelTests {
  static func double() -> Spec.FeatureType.OneOfType { .doubleType(Spec.DoubleFeatureType()) }

  /// Builds a model with the given inputs and outputs.
  static func model(
    _ type: Spec.Model.OneOfType, inputs: [Spec.FeatureDescription],
    outputs: [Spec.FeatureDescription], predicted: String = "", probabilities: String = ""
  ) -> Spec.Model {
    var model = Spec.Model()
    model.specificationVersion = 1
    model.description = Spec.ModelDescription()
    model.description?.input = inputs
    model.description?.output = outputs
    model.description?.predictedFeatureName = predicted
    model.description?.predictedProbabilitiesName = probabilities
    model.type = type
    return model
  }

  static func regressor(_ weights: [Double], offset: Double) -> Spec.Model.OneOfType {
    var message = Spec.GLMRegressor()
    var row = Spec.GLMRegressor.DoubleArray()
    row.value = weights
    message.weights = [row]
    message.offset = [offset]
    return .glmRegressor(message)
  }

  static func vectorizer(_ columns: [(String, UInt64)]) -> Spec.Model.OneOfType {
    var message = Spec.FeatureVectorizer()
    message.inputList = columns.map { name, count in
      var column = Spec.FeatureVectorizer.InputColumn()
      column.inputColumn = name
      column.inputDimensions = count
      return column
    }
    return .featureVectorizer(message)
  }

  @Test("A linear regressor accepts separate numbers, including integers, and returns a number")
  func separateNumbers() throws {
    let model: MLModel = try Self.model(
      Self.regressor([1, 2], offset: 0.1),
      inputs: ["feature_1", "feature_2"].map { SampleModels.feature($0, Self.double()) },
      outputs: [SampleModels.feature("output", Self.double())], predicted: "output"
    ).loaded()
    let input = try MLDictionaryFeatureProvider(dictionary: ["feature_1": 1.0, "feature_2": 1])
    #expect(try model.prediction(from: input).featureValue(for: "output")?.doubleValue == 3.1)
  }

  @Test("A linear regressor accepts and returns arrays")
  func arrays() throws {
    let model: MLModel = try Self.model(
      Self.regressor([1, 2], offset: 0), inputs: [SampleModels.array("x", [2])],
      outputs: [SampleModels.array("y", [1])]
    ).loaded()
    let input = try MLDictionaryFeatureProvider(
      dictionary: ["x": MLMultiArray(MLShapedArray<Float>(scalars: [3, 4], shape: [2]))])
    let output: MLMultiArray? = try model.prediction(from: input).featureValue(for: "y")?
      .multiArrayValue
    #expect(output?.shape == [1])
    #expect(output?[0] == 11)
  }

  @Test("A linear classifier returns the label and the probability of each class")
  func classifier() throws {
    var message = Spec.GLMClassifier()
    var row = Spec.GLMClassifier.DoubleArray()
    row.value = [1]
    message.weights = [row]
    message.offset = [0]
    var labels = Spec.Int64Vector()
    labels.vector = [7, 9]
    message.classLabels = .int64ClassLabels(labels)
    var dictionary = Spec.DictionaryFeatureType()
    dictionary.keyType = .int64KeyType(Spec.Int64FeatureType())
    let model: MLModel = try Self.model(
      .glmClassifier(message), inputs: [SampleModels.feature("x", Self.double())],
      outputs: [
        SampleModels.feature("label", .int64Type(Spec.Int64FeatureType())),
        SampleModels.feature("probabilities", .dictionaryType(dictionary)),
      ], predicted: "label", probabilities: "probabilities"
    ).loaded()
    let output = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["x": 2.0]))
    #expect(output.featureValue(for: "label")?.int64Value == 9)
    let probability: NSNumber? = output.featureValue(for: "probabilities")?.dictionaryValue[9]
    #expect(abs((probability?.doubleValue ?? 0) - 0.8807970779778823) < 1e-12)
  }

  @Test("Missing inputs and inputs of a wrong type or length are named")
  func wrongInputs() throws {
    let model: MLModel = try Self.model(
      Self.regressor([1, 2], offset: 0), inputs: [SampleModels.feature("x", Self.double())],
      outputs: [SampleModels.feature("y", Self.double())]
    ).loaded()
    let message: ([String: Any]) -> String? = { values in
      sentence {
        _ = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: values))
      }
    }
    #expect(
      message(["z": 1.0])
        == "The input feature \"x\" is required but the input does not have it; it has \"z\".")
    #expect(
      message(["x": "a"]) == "The input feature \"x\" expects a double, but its value is a string.")
    #expect(
      message(["x": 1.0]) == "The GLM regressor has weights for 2 values, but its input has 1.")
  }
}
