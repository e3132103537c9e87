import TableTraining

/// Predicts a class by planes between each pair of classes. The kernel is linear.
public struct MLSupportVectorClassifier: MLTableClassifier {
  /// The settings of the training.
  public struct ModelParameters: Sendable {
    /// The rows that the training does not use.
    public typealias ValidationData = MLTableValidation

    /// The rows that the training does not use.
    public var validation: ValidationData
    /// The greatest number of steps for each row of a pair of classes. Apple's default is 11 iterations of another
    /// algorithm.
    public var maxIterations: Int
    /// The factor of the loss: a greater one allows fewer rows on the wrong side.
    public var penalty: Double
    /// The violation of the optimality conditions at which the training ends.
    public var convergenceThreshold: Double
    /// Whether features are divided by their standard deviation before the training, so that the penalty does not depend
    /// on their units.
    public var featureRescaling: Bool

    /// Makes parameters. See the properties.
    public init(
      validation: ValidationData = .split(strategy: .automatic), maxIterations: Int = 1000,
      penalty: Double = 1, convergenceThreshold: Double = 0.01, featureRescaling: Bool = true
    ) {
      self.validation = validation
      self.maxIterations = maxIterations
      self.penalty = penalty
      self.convergenceThreshold = convergenceThreshold
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
    let solution = try creating {
      try SupportVectorTraining.classifier(
        trainer.rows.columns, classes, classCount: count,
        SupportVectorTraining.Parameters(
          penalty: parameters.penalty, tolerance: parameters.convergenceThreshold,
          maxIterations: parameters.maxIterations, rescaling: parameters.featureRescaling))
    }
    trained = try trainer.trained(.supportVectors(solution))
    modelParameters = parameters
    trainingMetrics = trained.classifierMetrics(on: trainer.training)
    validationMetrics = trained.classifierMetrics(on: trainer.validation)
  }

  /// The model and its metrics as text.
  public var description: String {
    "Support vector classifier of '\(targetColumn)': training \(trainingMetrics), validation \(validationMetrics)"
  }
}
