/// Predicts a class with one tree of comparisons.
public struct MLDecisionTreeClassifier: MLTableClassifier {
  /// The settings of the training.
  public typealias ModelParameters = MLDecisionTreeParameters

  /// The result of the training.
  public let trained: MLTrainedTable
  /// The settings of the training.
  public let modelParameters: ModelParameters
  /// The metrics on the training rows.
  public let trainingMetrics: MLClassifierMetrics
  /// The metrics on the validation rows.
  public let validationMetrics: MLClassifierMetrics

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
      classifies: true)
    trained = try trainer.tree(parameters)
    modelParameters = parameters
    trainingMetrics = trained.classifierMetrics(on: trainer.training)
    validationMetrics = trained.classifierMetrics(on: trainer.validation)
  }

  /// The model and its metrics as text.
  public var description: String {
    "Decision tree classifier of '\(targetColumn)': training \(trainingMetrics), validation \(validationMetrics)"
  }
}
