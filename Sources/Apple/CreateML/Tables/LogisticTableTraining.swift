import TableTraining

/// Trains a logistic regression on the columns of a table.
enum LogisticTableTraining {
  /// Finds the weights w and offsets that minimise
  ///
  ///     penalty · Σ w²  −  Σ log(probability of the row's class)
  ///
  /// Returns the weights and offsets of all classes but the first, relative to those of the first class.
  static func solution(
    _ columns: [[Double]], _ classes: [Int], classCount: Int, penalty: Double, rescaling: Bool,
    iterations: Int
  ) throws -> (weights: [[Double]], offsets: [Double]) {
    guard penalty > 0 else {
      throw MLCreateError.generic(reason: "The L2 penalty is \(penalty), expected more than 0.")
    }
    try creating { try LinearTraining.requireNumbers(columns) }
    let means: [Double] = columns.map { $0.reduce(0, +) / Double(max($0.count, 1)) }
    let scales: [Double] = columns.map { rescaling ? LinearTraining.deviation($0) : 1 }
    let examples: [[Float]] = classes.indices.map { row in
      columns.indices.map { Float((columns[$0][row] - means[$0]) / scales[$0]) }
    }
    let problem = LogisticRegression(
      examples, labels: classes, classCount: classCount, strength: 1 / (2 * penalty))
    let (weights, biases) = try creating { try problem.solved(iterations: max(1, iterations)) }
    let scaled: [[Double]] = weights.map { row in
      zip(row, scales).map { Double($0) / $1 }
    }
    let offsets: [Double] = zip(biases, scaled).map { bias, row in
      Double(bias) - zip(row, means).reduce(0) { $0 + $1.0 * $1.1 }
    }
    return (
      scaled.dropFirst().map { row in zip(row, scaled[0]).map { $0 - $1 } },
      offsets.dropFirst().map { $0 - offsets[0] }
    )
  }
}
