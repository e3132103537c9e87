import TableTraining

/// Predicts a number as a weighted sum of the features.
public struct MLLinearRegressor: MLTableRegressor {
  /// The settings of the training.
  public struct ModelParameters: Sendable {
    /// The rows that the training does not use.
    public typealias ValidationData = MLTableValidation

    /// The rows that the training does not use.
    public var validation: ValidationData
    /// The factor of the sum of the weights' absolute values.
    public var l1Penalty: Double
    /// The factor of the sum of the squared weights.
    public var l2Penalty: Double
    /// Whether features are divided by their standard deviation before the training, so that the penalties do not depend on
    /// their units.
    public var featureRescaling: Bool

    /// Makes parameters. See the properties.
    public init(
      validation: ValidationData = .split(strategy: .automatic), l1Penalty: Double = 0,
      l2Penalty: Double = 0.01, featureRescaling: Bool = true
    ) {
      self.validation = validation
      self.l1Penalty = l1Penalty
      self.l2Penalty = l2Penalty
      self.featureRescaling = featureRescaling
    }
  }

  /// The result of the training.
  public let trained: MLTrainedTable
  /// The settings of the training.
  public let modelParameters: ModelParameters
  /// The metrics on the training rows.
  public let trainingMetrics: MLRegressorMetrics
  /// The metrics on the validation rows.
  public let validationMetrics: MLRegressorMetrics

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
    guard case .numbers(let numbers) = trainer.rows.target else {
      throw MLCreateError.type(reason: "The target '\(targetColumn)' does not hold numbers.")
    }
    trained = try trainer.trained(
      .linear(
        try creating {
          try LinearTraining.regression(
            trainer.rows.columns, numbers, l1: parameters.l1Penalty, l2: parameters.l2Penalty,
            rescaling: parameters.featureRescaling)
        }))
    modelParameters = parameters
    trainingMetrics = trained.regressorMetrics(on: trainer.training)
    validationMetrics = trained.regressorMetrics(on: trainer.validation)
  }

  /// The model and its metrics as text.
  public var description: String {
    "Linear regressor of '\(targetColumn)': training \(trainingMetrics), validation \(validationMetrics)"
  }
}
