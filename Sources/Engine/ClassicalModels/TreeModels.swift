import ModelFormat

/// A decision tree regressor.
public struct TreeRegressor: Sendable {
  private let ensemble: TreeEnsemble
  private let transform: Spec.TreeEnsemblePostEvaluationTransform

  /// Reads and checks a model.
  public init(_ message: Spec.TreeEnsembleRegressor) throws {
    ensemble = try TreeEnsemble(message.treeEnsemble)
    transform = message.postEvaluationTransform
    try checkTransform(transform)
  }

  /// Returns the predicted values.
  public func predict(_ values: [Double]) throws -> [Double] {
    let scores: [Double] = try ensemble.scores(of: values)
    switch transform {
    case .classificationSoftMax: return softmax(scores)
    case .regressionLogistic: return scores.map(logistic)
    case .classificationSoftMaxWithZeroClassReference: return softmax([0] + scores)
    case .noTransform, .unrecognized: return scores
    }
  }
}

/// A decision tree classifier.
public struct TreeClassifier: Sendable {
  private let ensemble: TreeEnsemble
  private let transform: Spec.TreeEnsemblePostEvaluationTransform
  private let classCount: Int

  /// Reads and checks a model.
  public init(_ message: Spec.TreeEnsembleClassifier, classCount: Int) throws {
    ensemble = try TreeEnsemble(message.treeEnsemble)
    transform = message.postEvaluationTransform
    self.classCount = classCount
    try checkTransform(transform)
    let count: Int = ensemble.scoreCount
    let fits: Bool
    switch transform {
    case .classificationSoftMaxWithZeroClassReference: fits = count == classCount - 1
    case .classificationSoftMax: fits = count == classCount
    default: fits = count == classCount || (count == 1 && classCount == 2)
    }
    guard fits, classCount > 0 else {
      throw ClassicalModelError.model(
        "The tree ensemble classifier has \(classCount) classes, but its trees compute \(count) "
          + "scores, which its post-evaluation transform cannot convert to class probabilities.")
    }
  }

  /// Returns the probability of each class.
  public func predict(_ values: [Double]) throws -> [Double] {
    let scores: [Double] = try ensemble.scores(of: values)
    switch transform {
    case .classificationSoftMax: return softmax(scores)
    case .classificationSoftMaxWithZeroClassReference: return softmax([0] + scores)
    case .regressionLogistic:
      if scores.count == 1, classCount == 2 { return [logistic(-scores[0]), logistic(scores[0])] }
      return scores.map(logistic)
    case .noTransform, .unrecognized:
      if scores.count == 1, classCount == 2 { return [1 - scores[0], scores[0]] }
      return scores
    }
  }
}

private func checkTransform(_ transform: Spec.TreeEnsemblePostEvaluationTransform) throws {
  if case .unrecognized(let value) = transform {
    throw ClassicalModelError.model(
      "The tree ensemble has the unknown post-evaluation transform \(value); known ones are 0 to "
        + "3.")
  }
}
