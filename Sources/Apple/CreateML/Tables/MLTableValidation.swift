/// The rows that a training of a table does not use.
public enum MLTableValidation: Sendable {
  /// A part of the training rows.
  case split(strategy: MLSplitStrategy)
  /// Rows of another table.
  case table(MLDataTable)
  /// No rows.
  case none
}

extension MLTableValidation {
  /// The least number of rows of which the automatic strategy keeps a part for validation.
  private static let leastRows: Int = 50
  /// The part that the automatic strategy keeps.
  private static let automaticPart: Double = 0.05

  /// Splits a table into rows for training and rows for validation. The second table is nil without validation.
  func parts(of table: MLDataTable) throws -> (training: MLDataTable, validation: MLDataTable?) {
    switch self {
    case .none: return (table, nil)
    case .table(let other): return (table, other)
    case .split(.automatic):
      guard table.rowCount > Self.leastRows else { return (table, nil) }
      let (validation, training) = table.randomSplit(by: Self.automaticPart, seed: 0)
      return (training, validation)
    case .split(.fixed(let ratio, let seed)):
      guard ratio > 0, ratio < 1 else {
        throw MLCreateError.generic(
          reason: "The fraction of rows for validation is \(ratio), expected more than 0 and less"
            + " than 1.")
      }
      let (validation, training) = table.randomSplit(by: ratio, seed: seed)
      return (training, validation.rowCount == 0 ? nil : validation)
    }
  }
}
