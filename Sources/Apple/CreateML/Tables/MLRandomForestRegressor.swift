import TableTraining

/// Predicts a number with a random forest: the mean of trees that each see other rows and features.
public struct MLRandomForestRegressor: MLTableRegressor {
  /// The settings of the training.
  public struct ModelParameters: Sendable {
    /// The rows that the training does not use.
    public typealias ValidationData = MLTableValidation

    /// The rows that the training does not use.
    public var validation: ValidationData
    /// The greatest number of splits between the root and a leaf of a tree, 1 to 64.
    public var maxDepth: Int
    /// The number of trees.
    public var maxIterations: Int
    /// The reduction of the loss that a split needs.
    public var minLossReduction: Double
    /// The sum of second derivatives that each child of a split needs. For random forests and decision trees, and for
    /// the squared error, this is the number of rows.
    public var minChildWeight: Double
    /// The seed of the random choices.
    public var randomSeed: Int
    /// The fraction of the rows that each tree uses.
    public var rowSubsample: Double
    /// The fraction of the features that each split chooses from.
    public var columnSubsample: Double

    /// Makes parameters. See the properties.
    public init(
      validation: ValidationData = .split(strategy: .automatic), maxDepth: Int = 6,
      maxIterations: Int = 10, minLossReduction: Double = 0, minChildWeight: Double = 0.1,
      randomSeed: Int = 42, rowSubsample: Double = 0.8, columnSubsample: Double = 0.8
    ) {
      self.validation = validation
      self.maxDepth = maxDepth
      self.maxIterations = maxIterations
      self.minLossReduction = minLossReduction
      self.minChildWeight = minChildWeight
      self.randomSeed = randomSeed
      self.rowSubsample = rowSubsample
      self.columnSubsample = columnSubsample
    }
  }

  /// The result of the training.
  public let trained: MLTrainedTable
  /// The settings of the training.
  public let modelParameters: ModelParameters
  /// The metrics on the training rows.
  public private(set) var trainingMetrics: MLRegressorMetrics
  /// The metrics on the validation rows.
  public private(set) var validationMetrics: MLRegressorMetrics

  /// Trains a model. Blocks until the training is finished.
  ///
  /// - Parameters:
  ///   - trainingData: The examples, one in each row. Rows without a target are left out.
  ///   - targetColumn: The column to predict.
  ///   - featureColumns: The columns from which the model predicts. Nil takes all but the target.
  /// - Throws: ``MLCreateError`` if a column is missing or has an unusable type, or if a parameter is out of range.
  public init(
    trainingData: MLDataTable, targetColumn: String, featureColumns: [String]? = nil,
    parameters: ModelParameters = ModelParameters()
  ) throws {
    let trainer = try TableTrainer(
      trainingData, target: targetColumn, features: featureColumns, parameters.validation,
      classifies: false)
    trained = try trainer.trained(
      .trees(
        try creating {
          try TreeTraining.forest(
            trainer.rows.columns, trainer.rows.target,
            TreeTraining.Forest(
              maxDepth: parameters.maxDepth, maxIterations: parameters.maxIterations,
              minLossReduction: parameters.minLossReduction,
              minChildWeight: parameters.minChildWeight, randomSeed: parameters.randomSeed,
              rowSubsample: parameters.rowSubsample, columnSubsample: parameters.columnSubsample))
        }))
    modelParameters = parameters
    trainingMetrics = MLRegressorMetrics(error: nil)
    validationMetrics = MLRegressorMetrics(error: nil)
    trainingMetrics = evaluation(on: trainer.training)
    if let table = trainer.validation { validationMetrics = evaluation(on: table) }
  }

  /// The model and its metrics as text.
  public var description: String {
    "Random forest regressor of '\(targetColumn)': training \(trainingMetrics), validation \(validationMetrics)"
  }
}
