import CoreML
import Foundation
import ModelFormat
import Testing

@Suite("Recommenders, sound preprocessing and class thresholds as models")
struct RecommenderTests {
  private func dictionary(_ keys: Spec.DictionaryFeatureType.OneOfKeyType)
    -> Spec.FeatureType.OneOfType
  {
    var dictionary = Spec.DictionaryFeatureType()
    dictionary.keyType = keys
    return .dictionaryType(dictionary)
  }

  private func sequence(_ type: Spec.SequenceFeatureType.OneOfType) -> Spec.FeatureType.OneOfType {
    var sequence = Spec.SequenceFeatureType()
    sequence.type = type
    return .sequenceType(sequence)
  }

  private func recommender() throws -> MLModel {
    var message = Spec.ItemSimilarityRecommender()
    let rows: [(UInt64, [(UInt64, Double)])] = [(0, [(1, 0.5), (2, 0.25)]), (1, [(2, 2)])]
    message.itemItemSimilarities = rows.map { item, similar in
      var row = Spec.ItemSimilarityRecommender.SimilarItems()
      row.itemId = item
      row.similarItemList = similar.map {
        var connected = Spec.ItemSimilarityRecommender.ConnectedItem()
        (connected.itemId, connected.similarityScore) = $0
        return connected
      }
      return row
    }
    message.itemStringIds = Spec.StringVector()
    message.itemStringIds?.vector = ["tea", "milk", "cake"]
    message.itemInputFeatureName = "items"
    message.numRecommendationsInputFeatureName = "k"
    message.itemExclusionInputFeatureName = "exclude"
    message.recommendedItemListOutputFeatureName = "recommendations"
    message.recommendedItemScoreOutputFeatureName = "scores"
    let strings = Spec.StringFeatureType()
    return try ClassicalModelTests.model(
      .itemSimilarityRecommender(message),
      inputs: [
        SampleModels.feature("items", dictionary(.stringKeyType(strings))),
        SampleModels.feature("k", .int64Type(Spec.Int64FeatureType()), isOptional: true),
        SampleModels.feature("exclude", sequence(.stringType(strings)), isOptional: true),
      ],
      outputs: [
        SampleModels.feature("recommendations", sequence(.stringType(strings))),
        SampleModels.feature("scores", dictionary(.stringKeyType(strings))),
      ]
    ).loaded()
  }

  @Test("A recommender gives the items and their scores, best first")
  func recommends() throws {
    let model = try recommender()
    let ratings: [AnyHashable: NSNumber] = ["tea": 2, "milk": 1, "unknown": 9]
    let all = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: [
        "items": MLFeatureValue(dictionary: ratings),
        "exclude": MLFeatureValue(sequence: MLSequence(strings: [])),
      ]))
    #expect(
      all.featureValue(for: "recommendations")?.sequenceValue?.stringValues
        == ["cake", "milk", "tea"])
    #expect(
      all.featureValue(for: "scores")?.dictionaryValue == ["cake": 2.5, "milk": 1, "tea": 0])
    let one = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: [
        "items": MLFeatureValue(dictionary: ratings), "k": 1,
      ]))
    #expect(one.featureValue(for: "recommendations")?.sequenceValue?.stringValues == ["cake"])
    #expect(throws: MLModelError.self) {
      try model.prediction(
        from: MLDictionaryFeatureProvider(dictionary: [
          "items": MLFeatureValue(dictionary: ratings), "k": -1,
        ]))
    }
  }

  @Test("Sound preprocessing gives a spectrogram of the declared shape")
  func sound() throws {
    var message = Spec.CoreMLModels.SoundAnalysisPreprocessing()
    message.soundAnalysisPreprocessingType = .vggish(.init())
    let model: MLModel = try ClassicalModelTests.model(
      .soundAnalysisPreprocessing(message), inputs: [SampleModels.array("audio", [15_600])],
      outputs: [SampleModels.array("spectrogram", [1, 96, 64])]
    ).loaded()
    let samples = try MLMultiArray(shape: [15_600], dataType: .float32)
    for index in 0..<15_600 { samples[index] = 0 }
    let found = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["audio": samples]))
    let array = try #require(found.featureValue(for: "spectrogram")?.multiArrayValue)
    #expect(array.shape == [1, 96, 64])
    // Silence has sums of 0, and the logarithm of 0.01.
    #expect((0..<array.count).allSatisfy { abs(array[$0].doubleValue + 4.605170) < 1e-5 })
  }

  @Test("Class confidence thresholding marks all classes as present")
  func thresholds() throws {
    let model: MLModel = try ClassicalModelTests.model(
      .classConfidenceThresholding(Spec.ClassConfidenceThresholding()),
      inputs: [SampleModels.array("confidences", [3])],
      outputs: [SampleModels.array("filtered", [2, 3])]
    ).loaded()
    let found = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: [
        "confidences": MLMultiArray(MLShapedArray<Float>(scalars: [0.5, 0.25, 0], shape: [3]))
      ]))
    let array = try #require(found.featureValue(for: "filtered")?.multiArrayValue)
    #expect(array.shape == [2, 3])
    #expect((0..<6).map { array[$0].doubleValue } == [0.5, 0.25, 0, 1, 1, 1])
  }
}
