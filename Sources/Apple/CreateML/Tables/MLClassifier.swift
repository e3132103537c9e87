import CoreML
import Foundation

/// A classifier for a table, of the kind that is most accurate on validation rows.
public enum MLClassifier: MLTableClassifier {
  /// One tree of comparisons.
  case decisionTree(MLDecisionTreeClassifier)
  /// A random forest.
  case randomForest(MLRandomForestClassifier)
  /// Boosted trees.
  case boostedTree(MLBoostedTreeClassifier)
  /// Logistic regression.
  case logisticRegressor(MLLogisticRegressionClassifier)

  /// Trains a classifier of each kind and keeps the most accurate. The validation rows are 5 % of the rows if there are
  /// more than 50; otherwise, the training rows. Logistic regression needs a value in every cell.
  ///
  /// - Throws: ``MLCreateError`` if a column is missing or has an unusable type.
  public init(
    trainingData: MLDataTable, targetColumn: String, featureColumns: [String]? = nil
  ) throws {
    var kinds: [MLClassifier] = [
      .boostedTree(
        try MLBoostedTreeClassifier(
          trainingData: trainingData, targetColumn: targetColumn, featureColumns: featureColumns)),
      .randomForest(
        try MLRandomForestClassifier(
          trainingData: trainingData, targetColumn: targetColumn, featureColumns: featureColumns)),
      .decisionTree(
        try MLDecisionTreeClassifier(
          trainingData: trainingData, targetColumn: targetColumn, featureColumns: featureColumns)),
    ]
    if let linear = try? MLLogisticRegressionClassifier(
      trainingData: trainingData, targetColumn: targetColumn, featureColumns: featureColumns)
    {
      kinds.append(.logisticRegressor(linear))
    }
    var best: MLClassifier = kinds[0]
    for kind in kinds.dropFirst() where kind.selectionError < best.selectionError { best = kind }
    self = best
  }

  private var selectionError: Double {
    (validationMetrics.isValid ? validationMetrics : trainingMetrics).classificationError
  }

  /// The result of the training.
  public var trained: MLTrainedTable {
    switch self {
    case .decisionTree(let model): model.trained
    case .randomForest(let model): model.trained
    case .boostedTree(let model): model.trained
    case .logisticRegressor(let model): model.trained
    }
  }

  /// The metrics on the training rows.
  public var trainingMetrics: MLClassifierMetrics {
    switch self {
    case .decisionTree(let model): model.trainingMetrics
    case .randomForest(let model): model.trainingMetrics
    case .boostedTree(let model): model.trainingMetrics
    case .logisticRegressor(let model): model.trainingMetrics
    }
  }

  /// The metrics on the validation rows.
  public var validationMetrics: MLClassifierMetrics {
    switch self {
    case .decisionTree(let model): model.validationMetrics
    case .randomForest(let model): model.validationMetrics
    case .boostedTree(let model): model.validationMetrics
    case .logisticRegressor(let model): model.validationMetrics
    }
  }

  /// The kind of model and its metrics as text.
  public var description: String {
    switch self {
    case .decisionTree(let model): model.description
    case .randomForest(let model): model.description
    case .boostedTree(let model): model.description
    case .logisticRegressor(let model): model.description
    }
  }
}
