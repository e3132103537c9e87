import CoreML
import Foundation
import ModelFormat
import ModelTools
import TableTraining

/// What all models have that are trained with a table. Not in Apple's framework, where each type repeats it.
public protocol MLTableModel: CustomStringConvertible, Sendable {
  /// The result of the training.
  var trained: MLTrainedTable { get }
}

/// A model that predicts a number for each row of a table.
public protocol MLTableRegressor: MLTableModel {}

/// A model that predicts a class for each row of a table.
public protocol MLTableClassifier: MLTableModel {}

/// The result of a training with a table.
public struct MLTrainedTable: Sendable {
  let model: MLModel
  let specification: Spec.Model
  let rows: TableModel
  let targetColumn: String
  let featureColumns: [String]

  init(_ rows: TableModel, features: [String]) throws {
    self.rows = rows
    targetColumn = rows.target
    featureColumns = features
    let specification: Spec.Model = rows.specification(
      MLImageClassifier.specification(of: MLModelMetadata()))
    self.specification = specification
    model = try creating {
      try MLModel(specification: specification, configuration: MLModelConfiguration())
    }
  }

  /// The predicted values of a table's rows.
  func predictions(from table: MLDataTable) throws -> [MLDataValue] {
    let features: TrainingTable = try TableExamples.features(of: table, featureColumns)
    let numbers: [Double] = try creating { try rows.predictions(features) }
    switch rows.classes {
    case nil: return numbers.map(MLDataValue.double)
    case .words(let words)?: return numbers.map { .string(words[Int($0)]) }
    case .integers(let integers)?: return numbers.map { .int(integers[Int($0)]) }
    }
  }
}

extension MLTableModel {
  /// The Core ML model. It has one input for each feature column.
  public var model: MLModel { trained.model }
  /// The name of the column that the model predicts.
  public var targetColumn: String { trained.targetColumn }
  /// The names of the columns from which it predicts.
  public var featureColumns: [String] { trained.featureColumns }

  /// Predicts the target of each row.
  ///
  /// - Throws: ``MLCreateError`` if the table lacks a feature column, or if a column has another type than in training.
  public func predictions(from dataTable: MLDataTable) throws -> MLUntypedColumn {
    let values: [MLDataValue] = try trained.predictions(from: dataTable)
    return MLUntypedColumn(values: values, type: values.first?.type ?? .invalid)
  }

  /// Writes the model to a `.mlmodel` file.
  public func write(to fileURL: URL, metadata: MLModelMetadata? = nil) throws {
    try trained.specification.write(to: fileURL, metadata: metadata)
  }

  /// Writes the model to a path. See ``write(to:metadata:)``.
  public func write(toFile path: String, metadata: MLModelMetadata? = nil) throws {
    try write(to: URL(fileURLWithPath: path), metadata: metadata)
  }
}

extension MLTableRegressor {
  /// Measures the errors on the rows of a table.
  public func evaluation(on labeledTable: MLDataTable) -> MLRegressorMetrics {
    trained.regressorMetrics(on: labeledTable)
  }
}

extension MLTableClassifier {
  /// Measures the errors on the rows of a table.
  public func evaluation(on labeledTable: MLDataTable) -> MLClassifierMetrics {
    trained.classifierMetrics(on: labeledTable)
  }
}

extension MLTrainedTable {
  /// Measures the errors of a regressor on the rows of a table. Without a table, there are no metrics.
  func regressorMetrics(on labeledTable: MLDataTable?) -> MLRegressorMetrics {
    guard let labeledTable else { return MLRegressorMetrics(error: nil) }
    do {
      let examples = try TableExamples(
        labeledTable, target: targetColumn, features: featureColumns)
      let truth: [Double] = try examples.numbers(targetColumn)
      let found: [Double] = try creating { try rows.predictions(examples.features) }
      return MLRegressorMetrics(found, truth: truth)
    } catch {
      return MLRegressorMetrics(error: error)
    }
  }

  /// Measures the errors of a classifier on the rows of a table. Without a table, there are no metrics.
  func classifierMetrics(on labeledTable: MLDataTable?) -> MLClassifierMetrics {
    guard let labeledTable else { return MLClassifierMetrics(nil) }
    do {
      let examples = try TableExamples(
        labeledTable, target: targetColumn, features: featureColumns)
      let labels: [String]
      switch rows.classes {
      case .words(let words)?: labels = words
      case .integers(let integers)?: labels = integers.map(String.init)
      case nil: labels = []
      }
      let found: [Double] = try creating { try rows.predictions(examples.features) }
      let answers = zip(found, examples.target.values).enumerated().map { row, pair in
        ClassifierEvaluation.Answer(
          source: "row \(row)", truth: pair.1.description, guess: labels[Int(pair.0)],
          probabilities: [:])
      }
      return MLClassifierMetrics(ClassifierEvaluation(answers, order: labels))
    } catch {
      return MLClassifierMetrics(error: error)
    }
  }
}
