import CoreML
import Foundation
import ModelFormat
import Testing

/// Tests how a model with integer inputs converts other numbers.
@Suite("Integer inputs")
struct IntegerInputTests {
  private func prediction(
    _ model: Spec.Model, _ numbers: [Double]
  ) throws -> MLMultiArray {
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray(numbers)])
    return try #require(
      try model.loaded().prediction(from: input).featureValue(for: "y")?.multiArrayValue)
  }

  @Test("A network truncates fractions, like Core ML's array conversion")
  func network() throws {
    let model: Spec.Model = SampleModels.doubling { model in
      model.description?.input = [SampleModels.array("x", [3], .int32)]
    }
    #expect(try prediction(model, [2.7, -2.7, 3]) == MLMultiArray([5, -3, 7] as [Float]))
  }

  @Test("A float32 input keeps its fractions")
  func floats() throws {
    #expect(
      try prediction(SampleModels.doubling(), [2.5, -2.5, 3])
        == MLMultiArray([6, -4, 7] as [Float]))
  }

  @Test("A pipeline truncates its declared integer inputs, whatever its first model declares")
  func pipeline() throws {
    var pipeline = Spec.Pipeline()
    pipeline.models = [SampleModels.doubling()]
    let model: Spec.Model = SampleModels.doubling { model in
      model.type = .pipeline(pipeline)
      model.description?.input = [SampleModels.array("x", [3], .int32)]
    }
    #expect(try prediction(model, [2.7, -2.7, 3]) == MLMultiArray([5, -3, 7] as [Float]))
  }

  @Test("A classical model also truncates the fractions of integer inputs")
  func classical() throws {
    let model: Spec.Model = ClassicalModelTests.model(
      ClassicalModelTests.regressor([10, 1, 0], offset: 0.5),
      inputs: [SampleModels.array("x", [3], .int32)],
      outputs: [SampleModels.array("y", [1], .double)])
    #expect(try prediction(model, [2.7, -2.7, 3]) == MLMultiArray([18.5]))
  }
}

@Suite("Dictionary vectorizers")
struct DictionaryVectorizerTests {
  /// Loads a vectorizer that has integer keys, although the type of its input is a dictionary of strings. coremltools
  /// converts scikit-learn's vectorizer to this form.
  private func model() throws -> MLModel {
    var keys = Spec.Int64Vector()
    keys.vector = [3, 5]
    var vectorizer = Spec.DictVectorizer()
    vectorizer.map = .int64ToIndex(keys)
    return try ClassicalModelTests.model(
      .dictVectorizer(vectorizer), inputs: [SampleModels.feature("x", SampleModels.dictionary())],
      outputs: [SampleModels.array("y", [2], .double)]
    ).loaded()
  }

  @Test("The vectorizer uses the type of its own keys, whatever the description declares")
  func integerKeys() throws {
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": [5: 2.0, 9: 1.0]])
    #expect(
      try model().prediction(from: input).featureValue(for: "y")?.multiArrayValue
        == MLMultiArray([0.0, 2.0]))
  }

  @Test("Unknown keys are refused with a message")
  func otherKeys() throws {
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": ["five": 2.0]])
    #expect(
      sentence { _ = try model().prediction(from: input) }?
        .contains("has the key five, but the model expects") == true)
  }
}
