import ModelTools

/// The error of a classifier on labelled examples: photos, or rows of a table.
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

  /// Whether the metrics were measured with at least one example.
  public var isValid: Bool { evaluation?.answers.isEmpty == false }

  /// The fraction of examples whose predicted label is wrong, 0 to 1. The fraction is 0 if there are no examples.
  public var classificationError: Double {
    guard let evaluation, !evaluation.answers.isEmpty else { return 0 }
    return 1 - Double(evaluation.rightCount) / Double(evaluation.answers.count)
  }

  /// How often each label was predicted for each true label: a table with the columns `True Label`, `Predicted` and
  /// `Count`, without the pairs that did not occur.
  public var confusion: MLDataTable {
    var (truths, guesses, counts): ([String], [String], [Int]) = ([], [], [])
    for (row, line) in confusionMatrix.enumerated() {
      for (column, count) in line.enumerated() where count > 0 {
        truths.append(labels[row])
        guesses.append(labels[column])
        counts.append(count)
      }
    }
    var table = MLDataTable()
    table.addColumn(MLUntypedColumn(truths), named: "True Label")
    table.addColumn(MLUntypedColumn(guesses), named: "Predicted")
    table.addColumn(MLUntypedColumn(counts), named: "Count")
    return table
  }

  /// The precision and recall of each label, 0 to 1: a table with the columns `class`, `precision` and `recall`. The
  /// precision of a label that was never predicted is not a number.
  public var precisionRecall: MLDataTable {
    let scores: [ClassifierEvaluation.LabelScore] = evaluation?.scores ?? []
    var table = MLDataTable()
    table.addColumn(MLUntypedColumn(scores.map(\.label)), named: "class")
    table.addColumn(MLUntypedColumn(scores.map { $0.precision ?? .nan }), named: "precision")
    table.addColumn(MLUntypedColumn(scores.map(\.recall)), named: "recall")
    return table
  }

  /// The labels of the examples. Not in Apple's framework.
  public var labels: [String] { evaluation?.labels ?? [] }

  /// The number of examples for each true label (row) and predicted label (column). Not in Apple's framework.
  public var confusionMatrix: [[Int]] { evaluation?.confusionMatrix ?? [] }

  /// The number of examples. Not in Apple's framework.
  public var exampleCount: Int { evaluation?.answers.count ?? 0 }

  /// The number of wrong predictions as text.
  public var description: String {
    guard let evaluation, isValid else {
      return error.map { "no metrics: \($0)" } ?? "no metrics: there were no examples"
    }
    return
      "\(evaluation.answers.count - evaluation.rightCount) of \(evaluation.answers.count) wrong"
  }
}
