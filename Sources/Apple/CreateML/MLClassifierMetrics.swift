import ModelTools

/// How often a classifier is wrong.
///
/// Apple's tables are of a type that is not here: ``labels`` and ``confusionMatrix`` say the same.
public struct MLClassifierMetrics: Sendable, CustomStringConvertible {
  private let evaluation: ClassifierEvaluation?
  /// What went wrong when the numbers were to be had.
  public let error: (any Error)?

  init(_ evaluation: ClassifierEvaluation?) {
    self.evaluation = evaluation
    error = nil
  }

  init(error: any Error) {
    evaluation = nil
    self.error = error
  }

  /// Whether there are numbers.
  public var isValid: Bool { evaluation?.answers.isEmpty == false }

  /// The share of photos that were given a wrong label, 0 to 1; 0 where there are no photos.
  public var classificationError: Double {
    guard let evaluation, !evaluation.answers.isEmpty else { return 0 }
    return 1 - Double(evaluation.rightCount) / Double(evaluation.answers.count)
  }

  /// The labels that occur. Not in Apple's framework.
  public var labels: [String] { evaluation?.labels ?? [] }

  /// How often each label (the row) was taken for each (the column). Not in Apple's framework.
  public var confusionMatrix: [[Int]] { evaluation?.confusionMatrix ?? [] }

  /// How many photos there were. Not in Apple's framework.
  public var exampleCount: Int { evaluation?.answers.count ?? 0 }

  /// The error in words.
  public var description: String {
    guard let evaluation, isValid else {
      return error.map { "no metrics: \($0)" } ?? "no metrics: there were no photos"
    }
    return
      "\(evaluation.answers.count - evaluation.rightCount) of \(evaluation.answers.count) wrong"
  }
}
