import TableTraining

/// Predicts a class from weighted sums of the features.
public struct MLLogisticRegressionClassifier: MLTableClassifier {
  /// The settings of the training.
  public struct ModelParameters: Sendable {
    /// The rows that the training does not use.
    public typealias ValidationData = MLTableValidation

    /// The rows that the training does not use.
    public var validation: ValidationData
    /// The greatest number of iterations of L-BFGS.
    public var maxIterations: Int
    /// The factor of the sum of the squared weights.
    public var l2Penalty: Double
    /// Whether features are divided by their standard deviation before the training, so that the penalties do not depend on
    /// their units.
    public var featureRescaling: Bool

    /// Makes parameters. See the properties.
    public init(
      validation: ValidationData = .split(strategy: .automatic), maxIterations: Int = 100,
      l2Penalty: Double = 0.01, featureRescaling: Bool = true
    ) {
      self.validation = validation
      self.maxIterations = maxIterations
      self.l2Penalty = l2Penalty
      self.featureRescaling = featureRescaling
    }
  }

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
    guard case .classes(let classes, let count) = trainer.rows.target else {
      throw MLCreateError.type(reason: "The target '\(targetColumn)' does not hold classes.")
    }
    let solution = try LogisticTableTraining.solution(
      trainer.rows.columns, classes, classCount: count, penalty: parameters.l2Penalty,
      rescaling: parameters.featureRescaling, iterations: parameters.maxIterations)
    trained = try trainer.trained(
      .logistic(weights: solution.weights, offsets: solution.offsets))
    modelParameters = parameters
    trainingMetrics = trained.classifierMetrics(on: trainer.training)
    validationMetrics = trained.classifierMetrics(on: trainer.validation)
  }

  /// The model and its metrics as text.
  public var description: String {
    "Logistic regression classifier of '\(targetColumn)': training \(trainingMetrics), validation \(validationMetrics)"
  }
}
