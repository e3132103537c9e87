/// Predicts a number with a random forest: the mean of trees that each see other rows and features.
public struct MLRandomForestRegressor: MLTableRegressor {
  /// The settings of the training.
  public typealias ModelParameters = MLRandomForestParameters

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
    trained = try trainer.forest(parameters)
    modelParameters = parameters
    trainingMetrics = trained.regressorMetrics(on: trainer.training)
    validationMetrics = trained.regressorMetrics(on: trainer.validation)
  }

  /// The model and its metrics as text.
  public var description: String {
    "Random forest regressor of '\(targetColumn)': training \(trainingMetrics), validation \(validationMetrics)"
  }
}
