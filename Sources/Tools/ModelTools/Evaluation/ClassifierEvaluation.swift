/// How often a classifier is right about examples whose labels are known.
public struct ClassifierEvaluation: Sendable {
  /// One example and what the classifier made of it.
  public struct Answer: Sendable {
    /// Where the example lies: a file, or a row of a table.
    public let source: String
    /// The right label.
    public let truth: String
    /// The label that the classifier gives.
    public let guess: String
    /// The labels by falling probability, ties by name; empty where the classifier gives none.
    public let ranking: [String]
    /// The probability of the right label, 0 to 1; nil where the classifier gives none.
    public let truthProbability: Double?
    /// The probability of the guess, 0 to 1; nil where the classifier gives none.
    public let guessProbability: Double?

    /// What a classifier made of an example.
    public init(source: String, truth: String, guess: String, probabilities: [String: Double]) {
      self.source = source
      self.truth = truth
      self.guess = guess
      ranking =
        probabilities.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
      truthProbability = probabilities.isEmpty ? nil : probabilities[truth] ?? 0
      guessProbability = probabilities[guess]
    }

    /// Whether the guess is the right label.
    public var isRight: Bool { guess == truth }

    /// How far off it is, for sorting: the right label's probability below the guess's, −1 to 1.
    var error: Double { (guessProbability ?? 1) - (truthProbability ?? 0) }
  }

  /// What a label's examples came to.
  public struct LabelScore: Encodable, Sendable {
    /// The label.
    public let label: String
    /// How many examples have it.
    public let count: Int
    /// How many of them were recognised.
    public let right: Int
    /// The share of the examples that were recognised, 0 to 1.
    public let recall: Double
    /// The share of the guesses of this label that were right, 0 to 1; nil where it was never guessed.
    public let precision: Double?
  }

  /// A mistake and how often it was made.
  public struct Confusion: Encodable, Sendable, Equatable {
    /// The right label.
    public let truth: String
    /// The guess.
    public let guess: String
    /// How often.
    public let count: Int
  }

  /// All answers, in the order of the examples.
  public let answers: [Answer]
  /// The labels that occur as truth or guess, in the model's order.
  public let labels: [String]
  /// How often each label (the row) was taken for each (the column), in the order of ``labels``.
  public let confusionMatrix: [[Int]]

  /// Counts answers.
  ///
  /// - Parameter order: The model's labels in its order; others follow by name.
  public init(_ answers: [Answer], order: [String]) {
    self.answers = answers
    let occurring = Set(answers.flatMap { [$0.truth, $0.guess] })
    let known = Set(order)
    let labels: [String] =
      order.filter(occurring.contains) + occurring.filter { !known.contains($0) }.sorted()
    var places: [String: Int] = [:]
    for (place, label) in labels.enumerated() where places[label] == nil { places[label] = place }
    var matrix = [[Int]](
      repeating: [Int](repeating: 0, count: labels.count), count: labels.count)
    for answer in answers {
      guard let row = places[answer.truth], let column = places[answer.guess] else { continue }
      matrix[row][column] += 1
    }
    self.labels = labels
    confusionMatrix = matrix
  }

  /// How many examples were recognised.
  public var rightCount: Int { answers.count { $0.isRight } }

  /// How many examples have the right label among the likeliest; nil where the classifier ranks none.
  public func rightCount(amongTop count: Int) -> Int? {
    guard answers.allSatisfy({ !$0.ranking.isEmpty }) else { return nil }
    return answers.count { $0.ranking.prefix(count).contains($0.truth) }
  }

  /// What each label's examples came to; labels without examples are left out.
  public var scores: [LabelScore] {
    labels.indices.compactMap { index in
      let count: Int = confusionMatrix[index].reduce(0, +)
      guard count > 0 else { return nil }
      let right: Int = confusionMatrix[index][index]
      let guessed: Int = confusionMatrix.reduce(0) { $0 + $1[index] }
      return LabelScore(
        label: labels[index], count: count, right: right,
        recall: Double(right) / Double(count),
        precision: guessed > 0 ? Double(right) / Double(guessed) : nil)
    }
  }

  /// The mistakes, the most frequent first.
  public var confusions: [Confusion] {
    var list: [Confusion] = []
    for (row, counts) in confusionMatrix.enumerated() {
      for (column, count) in counts.enumerated() where row != column && count > 0 {
        list.append(Confusion(truth: labels[row], guess: labels[column], count: count))
      }
    }
    return list.sorted { ($1.count, $0.truth, $0.guess) < ($0.count, $1.truth, $1.guess) }
  }

  /// The wrong answers of which the classifier was surest, the worst first.
  public func worst(_ count: Int) -> [Answer] {
    Array(
      answers.filter { !$0.isRight }
        .sorted { ($1.error, $0.source) < ($0.error, $1.source) }.prefix(count))
  }
}
