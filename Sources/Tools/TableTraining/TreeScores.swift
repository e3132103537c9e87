/// The sum of several trees: one score for each row, or one for each class.
public struct TreeScores: Sendable {
  /// How scores become an answer.
  public enum Meaning: Sendable {
    /// One score is the number.
    case number
    /// Each score is the probability of a class.
    case probabilities
    /// With one score: the log odds of class 1 against class 0. With more: the logarithm of each class's probability,
    /// up to a common constant.
    case logOdds
  }

  /// A tree and the score of its first value.
  public struct Term: Sendable {
    /// The tree.
    public let tree: DecisionTree
    /// The score to which the first value of the tree's leaves is added.
    public let firstScore: Int
  }

  /// The trees.
  public internal(set) var terms: [Term]
  /// The scores without trees.
  public let base: [Double]
  /// How scores become an answer.
  public let meaning: Meaning

  /// The scores of every row: `[row · scores + score]`.
  func scores(_ columns: [[Double]], rows: Int) -> [Double] {
    var result: [Double] = Array(repeatElement(base, count: rows).joined())
    for term in terms {
      term.tree.add(
        columns, rows: rows, to: &result, scoreCount: base.count, firstScore: term.firstScore)
    }
    return result
  }
}
