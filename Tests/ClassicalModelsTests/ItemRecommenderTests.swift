import Foundation
import ModelFormat
import Testing

@testable import ClassicalModels

@Suite("Recommenders")
struct ItemRecommenderTests {
  /// Four items. Each row: an item, its similar items with similarities, and its score adjustment.
  static func message(
    _ rows: [(UInt64, [(UInt64, Double)], Double)] = [
      (0, [(1, 0.5), (2, 0.25)], 0), (1, [(0, 0.5), (3, 0.75)], 0), (3, [(1, 0.75)], 2),
    ]
  ) -> Spec.ItemSimilarityRecommender {
    var message = Spec.ItemSimilarityRecommender()
    message.itemItemSimilarities = rows.map { item, similar, shift in
      var row = Spec.ItemSimilarityRecommender.SimilarItems()
      (row.itemId, row.itemScoreAdjustment) = (item, shift)
      row.similarItemList = similar.map {
        var connected = Spec.ItemSimilarityRecommender.ConnectedItem()
        (connected.itemId, connected.similarityScore) = $0
        return connected
      }
      return row
    }
    return message
  }

  @Test("Scores are the sums of similarities times adjusted ratings, best first")
  func scores() throws {
    let recommender = try ItemRecommender(Self.message())
    #expect(recommender.count == 4 && recommender.names == .numbers)
    // Item 2: 0.25 · 4. Item 3: 0.75 · (2 − 2), because its score adjustment is 2.
    #expect(
      recommender.recommend(from: [0: 4, 1: 2])
        == [.init(item: 2, score: 1), .init(item: 3, score: 0)])
    #expect(
      recommender.recommend(from: [0: 4, 1: 5], excluding: [])
        == [
          .init(item: 0, score: 2.5), .init(item: 3, score: 2.25), .init(item: 1, score: 2),
          .init(item: 2, score: 1),
        ])
    #expect(
      recommender.recommend(from: [0: 4, 1: 5], limit: 1, allowed: [1, 2], excluding: [1])
        == [.init(item: 2, score: 1)])
    #expect(recommender.recommend(from: [0: 4], limit: 0).isEmpty)
  }

  @Test("Items have the names that the model gives them")
  func names() throws {
    var message = Self.message()
    message.itemStringIds = Spec.StringVector()
    message.itemStringIds?.vector = ["a", "b", "c", "d"]
    let recommender = try ItemRecommender(message)
    #expect(recommender.index(of: "c") == 2 && recommender.index(of: "x") == nil)
    #expect(recommender.index(of: Int64(2)) == nil)
  }

  @Test("Models with names twice, with two kinds of names, or with too few names are refused")
  func damage() {
    var twice = Self.message()
    twice.itemStringIds = Spec.StringVector()
    twice.itemStringIds?.vector = ["a", "b", "a", "d"]
    var few = Self.message()
    few.itemInt64Ids = Spec.Int64Vector()
    few.itemInt64Ids?.vector = [7, 8, 9]
    var both = few
    both.itemStringIds = twice.itemStringIds
    let huge = Self.message([(.max, [], 0)])
    for message in [twice, few, both, huge] {
      #expect(throws: ClassicalModelError.self) { try ItemRecommender(message) }
    }
  }
}

@Suite("Sound preprocessing")
struct SoundPreprocessingTests {
  @Test("The spectrogram of two tones has the values that NumPy computes")
  func spectrogram() throws {
    let samples: [Double] = (0..<15_600).map { index in
      let time: Double = Double(index) / 16_000
      let rising: Double = Double(index) / 15_600
      return 0.5 * sine(440 * time) + 0.25 * rising * sine(3_000 * time + 1 / (2 * .pi))
    }
    let found: [Double] = try SoundPreprocessing().apply(samples)
    #expect(found.count == 96 * 64)
    // NumPy: rfft of frames times a Hann window, triangular bands between 66 equidistant points on the mel scale.
    #expect(abs(found.reduce(0, +) + 19196.366445618) < 1e-5)
    for (row, band, expected) in [
      (0, 0, -3.736301248), (0, 13, -1.733989417), (50, 10, 1.792112657), (95, 63, -4.601111859),
      (95, 40, -0.922699326),
    ] {
      #expect(abs(found[row * 64 + band] - expected) < 1e-8)
    }
  }

  private func sine(_ turns: Double) -> Double { sin(2 * .pi * turns) }

  @Test("Another number of samples, and a message without a kind, are refused")
  func refused() {
    #expect(throws: ClassicalModelError.self) {
      try SoundPreprocessing().apply([Double](repeating: 0, count: 15_599))
    }
    #expect(throws: ClassicalModelError.self) {
      try SoundPreprocessing(Spec.CoreMLModels.SoundAnalysisPreprocessing())
    }
  }
}
