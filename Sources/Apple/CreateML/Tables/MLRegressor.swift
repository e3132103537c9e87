import CoreML
import Foundation

/// A regressor for a table, of the kind that is most accurate on validation rows.
public enum MLRegressor: MLTableRegressor {
  /// One tree of comparisons.
  case decisionTree(MLDecisionTreeRegressor)
  /// A random forest.
  case randomForest(MLRandomForestRegressor)
  /// Boosted trees.
  case boostedTree(MLBoostedTreeRegressor)
  /// A linear regressor.
  case linear(MLLinearRegressor)

  /// Trains a regressor of each kind and keeps the most accurate. The validation rows are 5 % of the rows if there are
  /// more than 50; otherwise, the training rows. Linear regression needs a value in every cell.
  ///
  /// - Throws: ``MLCreateError`` if a column is missing or has an unusable type.
  public init(
    trainingData: MLDataTable, targetColumn: String, featureColumns: [String]? = nil
  ) throws {
    var kinds: [MLRegressor] = [
      .boostedTree(
        try MLBoostedTreeRegressor(
          trainingData: trainingData, targetColumn: targetColumn, featureColumns: featureColumns)),
      .randomForest(
        try MLRandomForestRegressor(
          trainingData: trainingData, targetColumn: targetColumn, featureColumns: featureColumns)),
      .decisionTree(
        try MLDecisionTreeRegressor(
          trainingData: trainingData, targetColumn: targetColumn, featureColumns: featureColumns)),
    ]
    if let linear = try? MLLinearRegressor(
      trainingData: trainingData, targetColumn: targetColumn, featureColumns: featureColumns)
    {
      kinds.append(.linear(linear))
    }
    var best: MLRegressor = kinds[0]
    for kind in kinds.dropFirst() where kind.selectionError < best.selectionError { best = kind }
    self = best
  }

  private var selectionError: Double {
    (validationMetrics.isValid ? validationMetrics : trainingMetrics).rootMeanSquaredError
  }

  /// The result of the training.
  public var trained: MLTrainedTable {
    switch self {
    case .decisionTree(let model): model.trained
    case .randomForest(let model): model.trained
    case .boostedTree(let model): model.trained
    case .linear(let model): model.trained
    }
  }

  /// The metrics on the training rows.
  public var trainingMetrics: MLRegressorMetrics {
    switch self {
    case .decisionTree(let model): model.trainingMetrics
    case .randomForest(let model): model.trainingMetrics
    case .boostedTree(let model): model.trainingMetrics
    case .linear(let model): model.trainingMetrics
    }
  }

  /// The metrics on the validation rows.
  public var validationMetrics: MLRegressorMetrics {
    switch self {
    case .decisionTree(let model): model.validationMetrics
    case .randomForest(let model): model.validationMetrics
    case .boostedTree(let model): model.validationMetrics
    case .linear(let model): model.validationMetrics
    }
  }

  /// The kind of model and its metrics as text.
  public var description: String {
    switch self {
    case .decisionTree(let model): model.description
    case .randomForest(let model): model.description
    case .boostedTree(let model): model.description
    case .linear(let model): model.description
    }
  }
}
