import TableTraining

/// Prepares the rows of a table, trains, and measures.
struct TableTrainer {
  /// Encoded rows with their target.
  struct Rows {
    let columns: [[Double]]
    let target: TreeTraining.Target
  }

  let target: String
  let training: MLDataTable
  let validation: MLDataTable?
  let features: [String]
  let encoding: FeatureEncoding
  let classes: TableClasses?
  let rows: Rows
  let validationRows: Rows?

  /// - Parameter classifies: Whether the target is a class. Otherwise, it is a number.
  init(
    _ table: MLDataTable, target: String, features: [String]?, _ validation: MLTableValidation,
    classifies: Bool
  ) throws {
    if let error = table.error { throw error }
    self.target = target
    (training, self.validation) = try validation.parts(of: table)
    // The classes are those of all rows, so that a class that only validation has is not an error.
    let all = try TableExamples(table, target: target, features: features)
    self.features = all.featureColumns
    let classes: TableClasses? = classifies ? try TableClasses(all.target, named: target) : nil
    self.classes = classes
    let encoding: FeatureEncoding = try creating { try FeatureEncoding(all.features) }
    self.encoding = encoding
    func rows(_ table: MLDataTable) throws -> Rows {
      let examples = try TableExamples(table, target: target, features: all.featureColumns)
      let columns: [[Double]] = try creating { try encoding.columns(of: examples.features) }
      guard let classes else {
        return Rows(columns: columns, target: .numbers(try examples.numbers(target)))
      }
      let numbers: [Int] = classes.numbers(examples.target)
      if let row = numbers.firstIndex(of: -1) {
        throw MLCreateError.generic(
          reason: "The label '\(examples.target[row])' of the validation table does not occur in"
            + " the training table.")
      }
      return Rows(columns: columns, target: .classes(numbers, count: classes.classes.count))
    }
    self.rows = try rows(training)
    validationRows = try self.validation.map(rows)
  }

  /// Makes the model of a computation.
  func trained(_ computation: TableModel.Computation) throws -> MLTrainedTable {
    try MLTrainedTable(
      TableModel(
        encoding: encoding, computation: computation, classes: classes?.classes, target: target),
      features: features)
  }

  /// Trains boosted trees.
  func boosted(_ parameters: MLBoostedTreeParameters) throws -> MLTrainedTable {
    try trained(
      .trees(
        try creating {
          try TreeTraining.boosted(
            rows.columns, rows.target,
            TreeTraining.Boosting(
              maxDepth: parameters.maxDepth, maxIterations: parameters.maxIterations,
              minLossReduction: parameters.minLossReduction,
              minChildWeight: parameters.minChildWeight, randomSeed: parameters.randomSeed,
              stepSize: parameters.stepSize,
              earlyStoppingRounds: parameters.earlyStoppingRounds,
              rowSubsample: parameters.rowSubsample, columnSubsample: parameters.columnSubsample),
            validation: validationRows.map {
              TreeTraining.Validation(columns: $0.columns, target: $0.target)
            })
        }))
  }

  /// Trains a random forest.
  func forest(_ parameters: MLRandomForestParameters) throws -> MLTrainedTable {
    try trained(
      .trees(
        try creating {
          try TreeTraining.forest(
            rows.columns, rows.target,
            TreeTraining.Forest(
              maxDepth: parameters.maxDepth, maxIterations: parameters.maxIterations,
              minLossReduction: parameters.minLossReduction,
              minChildWeight: parameters.minChildWeight, randomSeed: parameters.randomSeed,
              rowSubsample: parameters.rowSubsample, columnSubsample: parameters.columnSubsample))
        }))
  }

  /// Trains a decision tree.
  func tree(_ parameters: MLDecisionTreeParameters) throws -> MLTrainedTable {
    try trained(
      .trees(
        try creating {
          try TreeTraining.tree(
            rows.columns, rows.target, maxDepth: parameters.maxDepth,
            minLossReduction: parameters.minLossReduction,
            minChildWeight: parameters.minChildWeight)
        }))
  }
}
