import ClassicalModels
import Foundation
import ModelFormat

/// Runs a model of the type `itemSimilarityRecommender`. The model recommends items that are similar to rated items.
struct RecommenderRunner: ModelRunner {
  private let recommender: ItemRecommender
  private let ratings: MLFeatureDescription
  /// The optional input with the number of recommendations; nil for a model without this input.
  private let limit: MLFeatureDescription?
  /// The optional input with the items that may be recommended; nil for a model without this input.
  private let allowed: MLFeatureDescription?
  /// The optional input with the items that are not recommended; nil for a model without this input.
  private let excluded: MLFeatureDescription?
  private let list: MLFeatureDescription?
  private let scores: MLFeatureDescription?

  init(_ message: Spec.ItemSimilarityRecommender, _ description: MLModelDescription) throws {
    recommender = try ItemRecommender(message)
    let (inputs, outputs) = (
      description.inputDescriptionsByName, description.outputDescriptionsByName
    )
    func feature(
      _ name: String, in features: [String: MLFeatureDescription], _ types: [MLFeatureType]
    ) throws -> MLFeatureDescription? {
      guard !name.isEmpty else { return nil }
      guard let feature = features[name] else {
        throw MLModelError(
          .io,
          "The recommender names the feature \"\(name)\", but the model does not describe it. The model"
            + " may be damaged.")
      }
      guard types.contains(feature.type) else {
        throw MLModelError(
          .io,
          "The feature \"\(name)\" of the recommender is declared as \(feature.type.sentenceName),"
            + " expected \(types.map(\.sentenceName).joined(separator: " or ")).")
      }
      return feature
    }
    let items: [MLFeatureType] = [.sequence, .multiArray]
    let only: String = inputs.count == 1 ? inputs.keys.first ?? "" : ""
    let name: String = message.itemInputFeatureName.isEmpty ? only : message.itemInputFeatureName
    guard let ratings = try feature(name, in: inputs, [.dictionary] + items) else {
      throw MLModelError(.io, "The recommender does not name its input of rated items.")
    }
    self.ratings = ratings
    limit = try feature(message.numRecommendationsInputFeatureName, in: inputs, [.int64])
    allowed = try feature(message.itemRestrictionInputFeatureName, in: inputs, items)
    excluded = try feature(message.itemExclusionInputFeatureName, in: inputs, items)
    list = try feature(message.recommendedItemListOutputFeatureName, in: outputs, [.sequence])
    scores = try feature(message.recommendedItemScoreOutputFeatureName, in: outputs, [.dictionary])
    guard list != nil || scores != nil else {
      throw MLModelError(
        .io, "The recommender names no output, expected a list of items or a dictionary of scores.")
    }
  }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    guard let rated = try items(of: ratings, in: input) else {
      throw MLModelError(
        .featureType,
        "The input feature \"\(ratings.name)\" has no value, but the recommender needs one.")
    }
    var count: Int?
    if let limit, let value = try ClassicalInputs.value(of: limit, in: input) {
      guard value.int64Value >= 0 else {
        throw MLModelError(
          .featureType,
          "The input feature \"\(limit.name)\" is \(value.int64Value), expected 0 or more"
            + " recommendations.")
      }
      count = Int(value.int64Value)
    }
    let found: [ItemRecommender.Recommendation] = recommender.recommend(
      from: rated, limit: count,
      allowed: try allowed.flatMap { try items(of: $0, in: input) }.map { Set($0.keys) },
      excluding: try excluded.flatMap { try items(of: $0, in: input) }.map { Set($0.keys) })
    var results: [String: MLFeatureValue] = [:]
    if let list { results[list.name] = MLFeatureValue(sequence: sequence(found.map(\.item))) }
    if let scores {
      var dictionary: [AnyHashable: NSNumber] = [:]
      for recommendation in found {
        dictionary[key(recommendation.item)] = NSNumber(value: recommendation.score)
      }
      results[scores.name] = MLFeatureValue(.dictionary(dictionary), type: .dictionary)
    }
    return results
  }

  /// Returns the ratings in an input by the index of the item, or nil if the caller leaves the input out. A sequence or
  /// an array contains no ratings, so each of its items gets the rating 1. Ignores items that the model does not know.
  private func items(
    of description: MLFeatureDescription, in input: any MLFeatureProvider
  ) throws -> [Int: Double]? {
    guard let value = try ClassicalInputs.value(of: description, in: input) else { return nil }
    var ratings: [Int: Double] = [:]
    switch value.content {
    case .sequence(let sequence):
      for name in sequence.stringValues { recommender.index(of: name).map { ratings[$0] = 1 } }
      for name in sequence.int64Values {
        recommender.index(of: name.int64Value).map { ratings[$0] = 1 }
      }
    case .multiArray(let array):
      for number in array.numbers {
        Int64(exactly: number).flatMap { recommender.index(of: $0) }.map { ratings[$0] = 1 }
      }
    default:
      for (key, rating) in value.dictionaryValue {
        let index: Int? =
          (key.base as? String).flatMap { recommender.index(of: $0) }
          ?? integerKey(key).flatMap { recommender.index(of: $0) }
        if let index { ratings[index] = rating.doubleValue }
      }
    }
    return ratings
  }

  private func sequence(_ items: [Int]) -> MLSequence {
    switch recommender.names {
    case .numbers: MLSequence(int64s: items.map { NSNumber(value: $0) })
    case .integers(let names): MLSequence(int64s: items.map { NSNumber(value: names[$0]) })
    case .strings(let names): MLSequence(strings: items.map { names[$0] })
    }
  }

  private func key(_ item: Int) -> AnyHashable {
    switch recommender.names {
    case .numbers: item
    case .integers(let names): Int(names[item])
    case .strings(let names): names[item]
    }
  }
}
