import ModelTools

/// The error of a classifier on labelled photos.
///
/// Apple's metrics are tables of a type that this framework does not have. ``labels`` and ``confusionMatrix`` replace
/// these tables.
public struct MLClassifierMetrics: Sendable, CustomStringConvertible {
  private let evaluation: ClassifierEvaluation?
  /// The error that prevented the measurement; nil if there was none.
  public let error: (any Error)?

  init(_ evaluation: ClassifierEvaluation?) {
    self.evaluation = evaluation
    error = nil
  }

  init(error: any Error) {
    evaluation = nil
    self.error = error
  }

  /// Whether the metrics were measured with at least one photo.
  public var isValid: Bool { evaluation?.answers.isEmpty == false }

  /// The fraction of photos whose predicted label is wrong, 0 to 1. The fraction is 0 if there are no photos.
  public var classificationError: Double {
    guard let evaluation, !evaluation.answers.isEmpty else { return 0 }
    return 1 - Double(evaluation.rightCount) / Double(evaluation.answers.count)
  }

  /// The labels of the photos. Not in Apple's framework.
  public var labels: [String] { evaluation?.labels ?? [] }

  /// The number of photos for each true label (row) and predicted label (column). Not in Apple's framework.
  public var confusionMatrix: [[Int]] { evaluation?.confusionMatrix ?? [] }

  /// The number of photos. Not in Apple's framework.
  public var exampleCount: Int { evaluation?.answers.count ?? 0 }

  /// The number of wrong predictions as text.
  public var description: String {
    guard let evaluation, isValid else {
      return error.map { "no metrics: \($0)" } ?? "no metrics: there were no photos"
    }
    return
      "\(evaluation.answers.count - evaluation.rightCount) of \(evaluation.answers.count) wrong"
  }
}
