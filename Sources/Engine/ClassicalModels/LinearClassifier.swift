import ModelFormat

/// A generalized linear classifier: weighted sums of the input, and a link function that converts them to
/// probabilities.
public struct LinearClassifier: Sendable {
  private let scores: LinearScores
  private let classCount: Int
  /// Whether the link function is the normal distribution (probit). Otherwise, the link function is logistic.
  private let isProbit: Bool
  /// Whether the first class is the reference, which has no weights and the score 0.
  private let hasReference: Bool
  private static let name: String = "GLM classifier"

  /// The number of input values.
  public var inputCount: Int { scores.inputCount }

  /// Reads and checks a model.
  public init(_ message: Spec.GLMClassifier, classCount: Int) throws {
    scores = try LinearScores(
      weights: message.weights.map(\.value), offsets: message.offset, model: LinearClassifier.name)
    self.classCount = classCount
    switch message.postEvaluationTransform {
    case .logit: isProbit = false
    case .probit: isProbit = true
    case .unrecognized(let value):
      throw ClassicalModelError.model(
        "The GLM classifier has the unknown post-evaluation transform \(value); known ones are 0 "
          + "and 1.")
    }
    switch message.classEncoding {
    // If there are two classes, the rest is the first class, so one score that compares the second class with the rest
    // is enough.
    case .oneVsRest: hasReference = classCount == 2 && scores.count == 1
    case .referenceClass: hasReference = true
    case .unrecognized(let value):
      throw ClassicalModelError.model(
        "The GLM classifier has the unknown class encoding \(value); known ones are 0 and 1.")
    }
    let expected: Int = hasReference ? classCount - 1 : classCount
    guard scores.count == expected, expected > 0 else {
      throw ClassicalModelError.model(
        "The GLM classifier has \(scores.count) rows of weights, but its \(classCount) classes "
          + "need \(max(expected, 1)).")
    }
    if isProbit && hasReference && classCount > 2 {
      throw ClassicalModelError.model(
        "The GLM classifier has \(classCount) classes; with a reference class, the probit "
          + "transform supports only two.")
    }
  }

  /// Returns the probability of each class.
  public func predict(_ values: [Double]) throws -> [Double] {
    let results: [Double] = try scores(values, model: LinearClassifier.name)
    if !hasReference {
      return normalized(results.map(isProbit ? normalDistribution : logistic))
    }
    if classCount == 2, let score = results.first {
      return isProbit
        ? [normalDistribution(-score), normalDistribution(score)]
        : [logistic(-score), logistic(score)]
    }
    return softmax([0] + results)
  }
}
