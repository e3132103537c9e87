/// The accuracy of a classifier on labelled examples.
public struct ClassifierEvaluation: Sendable {
  /// An example and the classifier's answer for it.
  public struct Answer: Sendable {
    /// The example's file, or its row in a table.
    public let source: String
    /// The right label.
    public let truth: String
    /// The label that the classifier gives.
    public let guess: String
    /// The labels by descending probability. Labels of equal probability are sorted by name. Empty if the classifier
    /// gives no probabilities.
    public let ranking: [String]
    /// The probability of the right label, 0 to 1. Nil if the classifier gives no probabilities.
    public let truthProbability: Double?
    /// The probability of the guess, 0 to 1. Nil if the classifier gives no probabilities.
    public let guessProbability: Double?

    /// Creates an answer and sorts its labels by probability.
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

    /// The size of the mistake, for sorting: the probability of the guess minus that of the right label, −1 to 1.
    var error: Double { (guessProbability ?? 1) - (truthProbability ?? 0) }
  }

  /// How well the classifier recognises a label.
  public struct LabelScore: Encodable, Sendable {
    /// The label.
    public let label: String
    /// How many examples have this label as the right one.
    public let count: Int
    /// How many of these examples were classified correctly.
    public let right: Int
    /// The share of these examples that were classified correctly, 0 to 1.
    public let recall: Double
    /// The share of the guesses of this label that were right, 0 to 1. Nil if the classifier never guessed this label.
    public let precision: Double?
  }

  /// A mistake and how often it was made.
  public struct Confusion: Encodable, Sendable, Equatable {
    /// The right label.
    public let truth: String
    /// The label that the classifier gave instead.
    public let guess: String
    /// How often the classifier made this mistake.
    public let count: Int
  }

  /// All answers, in the order of the examples.
  public let answers: [Answer]
  /// The labels that occur as truth or guess, in the model's order.
  public let labels: [String]
  /// The number of examples by right label (the row) and guess (the column), both in the order of ``labels``.
  public let confusionMatrix: [[Int]]

  /// Counts right and wrong answers.
  ///
  /// - Parameter order: The labels in the model's order. Labels that are not in this list follow, sorted by name.
  public init(_ answers: [Answer], order: [String]) {
    self.answers = answers
    let occurring = Set(answers.flatMap { [$0.truth, $0.guess] })
    let known = Set(order)
    let labels: [String] =
      order.filter(occurring.contains) + occurring.filter { !known.contains($0) }.sorted()
    var positions: [String: Int] = [:]
    for (position, label) in labels.enumerated() where positions[label] == nil {
      positions[label] = position
    }
    var matrix = [[Int]](
      repeating: [Int](repeating: 0, count: labels.count), count: labels.count)
    for answer in answers {
      guard let row = positions[answer.truth], let column = positions[answer.guess] else {
        continue
      }
      matrix[row][column] += 1
    }
    self.labels = labels
    confusionMatrix = matrix
  }

  /// How many examples were classified correctly.
  public var rightCount: Int { answers.count { $0.isRight } }

  /// Returns how many examples have their right label among the `count` most probable labels, or nil if the classifier
  /// gives no probabilities.
  public func rightCount(amongTop count: Int) -> Int? {
    guard answers.allSatisfy({ !$0.ranking.isEmpty }) else { return nil }
    return answers.count { $0.ranking.prefix(count).contains($0.truth) }
  }

  /// The score of each label that has examples.
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

  /// The mistakes. The most frequent mistake is first.
  public var confusions: [Confusion] {
    var list: [Confusion] = []
    for (row, counts) in confusionMatrix.enumerated() {
      for (column, count) in counts.enumerated() where row != column && count > 0 {
        list.append(Confusion(truth: labels[row], guess: labels[column], count: count))
      }
    }
    return list.sorted { ($1.count, $0.truth, $0.guess) < ($0.count, $1.truth, $1.guess) }
  }

  /// Returns the `count` wrong answers with the largest ``Answer/error``. The answer with the largest error is first.
  public func worst(_ count: Int) -> [Answer] {
    Array(
      answers.filter { !$0.isRight }
        .sorted { ($1.error, $0.source) < ($0.error, $1.source) }.prefix(count))
  }
}
