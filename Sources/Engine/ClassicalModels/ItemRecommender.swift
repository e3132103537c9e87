import ModelFormat

/// Recommends items that are similar to the items that a user has rated.
///
///     score(k) = Σ similarity(i, k) · (rating(i) − shift(k))   over the rated items i
///
/// The similarity of two items is 0 unless the model lists item k as similar to item i. `shift(k)` is the score
/// adjustment of item k, which is 0 in most models.
///
/// **Source:** ItemSimilarityRecommender.proto.
public struct ItemRecommender: Sendable {
  /// The names of the items. Models without names number their items from 0.
  public enum Names: Sendable, Equatable {
    case numbers
    case integers([Int64])
    case strings([String])
  }

  /// A recommended item and its score.
  public struct Recommendation: Sendable, Equatable {
    /// The index of the item.
    public let item: Int
    /// The predicted rating.
    public let score: Double
  }

  /// The names of the items.
  public let names: Names
  /// The number of items.
  public let count: Int
  private let similar: [Int: [(item: Int, similarity: Double)]]
  private let shifts: [Int: Double]
  private let integerIndices: [Int64: Int]
  private let stringIndices: [String: Int]

  /// Reads and checks a model.
  public init(_ message: Spec.ItemSimilarityRecommender) throws {
    let integers: [Int64] = message.itemInt64Ids?.vector ?? []
    let strings: [String] = message.itemStringIds?.vector ?? []
    guard integers.isEmpty || strings.isEmpty else {
      throw ClassicalModelError.model(
        "The recommender names its items both by integers and by strings, expected one of them.")
    }
    let mentioned: [UInt64] = message.itemItemSimilarities.flatMap { row in
      [row.itemId] + row.similarItemList.map(\.itemId)
    }
    let largest: UInt64 = mentioned.max() ?? 0
    let named: Int = max(integers.count, strings.count)
    guard largest < UInt64(mostElements), named == 0 || largest < UInt64(named) else {
      throw ClassicalModelError.model(
        "The recommender has \(named == 0 ? "at most \(mostElements)" : "\(named)") items, but mentions"
          + " item number \(largest). The model may be damaged.")
    }
    count = named == 0 ? Int(clamping: largest) + 1 : named
    names =
      !integers.isEmpty ? .integers(integers) : !strings.isEmpty ? .strings(strings) : .numbers
    integerIndices = Dictionary(zip(integers, integers.indices)) { first, _ in first }
    stringIndices = Dictionary(zip(strings, strings.indices)) { first, _ in first }
    guard integerIndices.count == integers.count, stringIndices.count == strings.count else {
      throw ClassicalModelError.model("The recommender gives two items the same name.")
    }
    var similar: [Int: [(item: Int, similarity: Double)]] = [:]
    var shifts: [Int: Double] = [:]
    for row in message.itemItemSimilarities {
      let item = Int(clamping: row.itemId)
      similar[item, default: []] += row.similarItemList.map {
        (item: Int(clamping: $0.itemId), similarity: $0.similarityScore)
      }
      if row.itemScoreAdjustment != 0 { shifts[item] = row.itemScoreAdjustment }
    }
    (self.similar, self.shifts) = (similar, shifts)
  }

  /// Returns the index of an item with an integer name. Nil if no item has it.
  public func index(of name: Int64) -> Int? {
    switch names {
    case .numbers: (0..<Int64(count)).contains(name) ? Int(clamping: name) : nil
    case .integers: integerIndices[name]
    case .strings: nil
    }
  }

  /// Returns the index of an item with a string as its name. Nil if no item has it.
  public func index(of name: String) -> Int? { stringIndices[name] }

  /// Returns the items with the highest scores, best first. Items with equal scores are in the order of their indices.
  ///
  /// - Parameters:
  ///   - ratings: The ratings of items, by index.
  ///   - limit: The number of recommendations. Nil for all items.
  ///   - allowed: The items that may be recommended. Nil for all items.
  ///   - excluded: The items that are not recommended. Nil for the rated items.
  public func recommend(
    from ratings: [Int: Double], limit: Int? = nil, allowed: Set<Int>? = nil,
    excluding excluded: Set<Int>? = nil
  ) -> [Recommendation] {
    var scores: [Int: Double] = [:]
    for (rated, rating) in ratings.sorted(by: { $0.key < $1.key }) {
      for (item, similarity) in similar[rated] ?? [] {
        scores[item, default: 0] += similarity * (rating - (shifts[item] ?? 0))
      }
    }
    let excluded: Set<Int> = excluded ?? Set(ratings.keys)
    let candidates: [Recommendation] = (0..<count).compactMap { item in
      guard !excluded.contains(item), allowed?.contains(item) ?? true else { return nil }
      return Recommendation(item: item, score: scores[item] ?? 0)
    }
    let sorted: [Recommendation] = candidates.sorted {
      $0.score == $1.score ? $0.item < $1.item : $0.score > $1.score
    }
    return Array(sorted.prefix(max(0, limit ?? sorted.count)))
  }
}
