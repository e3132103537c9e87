import CoreML
import CreateML
import Foundation
import Testing

/// Tests the models of tables against scikit-learn (Expected/tables.py) and against the written Core ML models.
struct TableModelTests {
  private struct Accuracies: Decodable {
    let boostedTree, randomForest, decisionTree, logistic: Double
    /// The predicted class of each row, as a position among the sorted names of the table's classes.
    let supportVectors: [Int]
  }

  private struct Errors: Decodable {
    let boostedTree, randomForest, decisionTree: Double
    let linear, lasso: [Double]
  }

  private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("Expected")

  private static func expected<Value: Decodable>(_ name: String) throws -> Value {
    let data = try Data(contentsOf: folder.appendingPathComponent("tables.json"))
    let all = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let part = try JSONSerialization.data(withJSONObject: try #require(all[name]))
    return try JSONDecoder().decode(Value.self, from: part)
  }

  /// The rows for training and, every fourth row, those for judging.
  private static func parts(_ name: String) throws -> (learn: MLDataTable, judge: MLDataTable) {
    let table = try MLDataTable(contentsOf: folder.appendingPathComponent("\(name).csv"))
    let isJudged = MLUntypedColumn((0..<table.size.rows).map { $0 % 4 == 0 ? 1 : 0 })
    return (table[isJudged == 0], table[isJudged])
  }

  /// The accuracy of scikit-learn depends on its seed, so that 1 % is counted from the mean of ten, and a test row or
  /// two more are allowed.
  private static func isClose(_ accuracy: Double, _ expected: Double, rows: Int) -> Bool {
    accuracy >= expected - 0.01 - 1 / Double(rows)
  }

  @Test(
    "Classifiers of tables are as accurate as scikit-learn's", arguments: ["wine", "breast-cancer"])
  func classifiers(name: String) throws {
    let expected: Accuracies = try Self.expected(name)
    let (learn, judge) = try Self.parts(name)
    let count: Int = judge.size.rows
    func mean(_ train: (Int) throws -> some MLTableClassifier) rethrows -> Double {
      try (0..<5).reduce(0) { $0 + 1 - (try train($1)).evaluation(on: judge).classificationError }
        / 5
    }
    let start = ContinuousClock.now
    let boosted: Double = try mean { seed in
      try MLBoostedTreeClassifier(
        trainingData: learn, targetColumn: "target",
        parameters: .init(
          validation: .none, maxDepth: 3, maxIterations: 50, randomSeed: seed, rowSubsample: 0.9))
    }
    let middle = ContinuousClock.now
    let forest: Double = try mean { seed in
      try MLRandomForestClassifier(
        trainingData: learn, targetColumn: "target",
        parameters: .init(
          validation: .none, maxDepth: 10, maxIterations: 100, randomSeed: seed,
          columnSubsample: 0.18))
    }
    let times = [middle - start, ContinuousClock.now - middle].map { $0 / .milliseconds(5) }
    let tree: Double = try mean { _ in
      try MLDecisionTreeClassifier(
        trainingData: learn, targetColumn: "target",
        parameters: .init(validation: .none, maxDepth: 4))
    }
    let logistic: Double = try mean { _ in
      try MLLogisticRegressionClassifier(
        trainingData: learn, targetColumn: "target",
        parameters: .init(validation: .none, maxIterations: 500, l2Penalty: 0.5))
    }
    print(
      "\(name): boosted \(boosted) forest \(forest) tree \(tree) logistic \(logistic);"
        + " \(expected); boosted and forest each \(times) ms")
    #expect(Self.isClose(boosted, expected.boostedTree, rows: count))
    #expect(Self.isClose(forest, expected.randomForest, rows: count))
    #expect(Self.isClose(tree, expected.decisionTree, rows: count))
    #expect(abs(logistic - expected.logistic) < 1e-9)
  }

  @Test(
    "Support vector classifiers predict scikit-learn's classes",
    arguments: [
      ("wine", ["class_0", "class_1", "class_2"]), ("breast-cancer", ["malignant", "benign"]),
    ])
  func supportVectors(name: String, classes: [String]) throws {
    let expected: Accuracies = try Self.expected(name)
    let (learn, judge) = try Self.parts(name)
    let trained = try MLSupportVectorClassifier(
      trainingData: learn, targetColumn: "target",
      parameters: .init(validation: .none, penalty: 0.05, convergenceThreshold: 1e-6))
    let found = try #require(try trained.predictions(from: judge).strings)
    #expect(Array(found) == expected.supportVectors.map { classes[$0] })
    #expect(try Self.answers(trained, judge) == Array(trained.predictions(from: judge).cells))
    print("\(name): support vectors \(1 - trained.evaluation(on: judge).classificationError)")
  }

  @Test("Regressors of tables have errors as small as scikit-learn's")
  func regressors() throws {
    let expected: Errors = try Self.expected("diabetes")
    let (learn, judge) = try Self.parts("diabetes")
    func mean(_ train: (Int) throws -> some MLTableRegressor) rethrows -> Double {
      try (0..<5).reduce(0) { $0 + (try train($1)).evaluation(on: judge).rootMeanSquaredError } / 5
    }
    let boosted: Double = try mean { seed in
      try MLBoostedTreeRegressor(
        trainingData: learn, targetColumn: "target",
        parameters: .init(
          validation: .none, maxDepth: 3, maxIterations: 50, randomSeed: seed, stepSize: 0.1,
          rowSubsample: 0.9))
    }
    let forest: Double = try mean { seed in
      try MLRandomForestRegressor(
        trainingData: learn, targetColumn: "target",
        parameters: .init(
          validation: .none, maxDepth: 10, maxIterations: 100, randomSeed: seed,
          columnSubsample: 0.33))
    }
    let tree: Double = try mean { _ in
      try MLDecisionTreeRegressor(
        trainingData: learn, targetColumn: "target",
        parameters: .init(validation: .none, maxDepth: 3))
    }
    print(
      "diabetes: boosted \(boosted) forest \(forest) tree \(tree); \(expected.boostedTree)"
        + " \(expected.randomForest) \(expected.decisionTree)")
    #expect(boosted <= expected.boostedTree * 1.01)
    #expect(forest <= expected.randomForest * 1.01)
    #expect(tree <= expected.decisionTree * 1.01)
  }

  @Test("Linear regressors predict scikit-learn's numbers, with either penalty")
  func linear() throws {
    let expected: Errors = try Self.expected("diabetes")
    let (learn, judge) = try Self.parts("diabetes")
    for (l1, l2, wanted) in [(0.0, 0.01, expected.linear), (200, 0, expected.lasso)] {
      let model = try MLLinearRegressor(
        trainingData: learn, targetColumn: "target",
        parameters: .init(validation: .none, l1Penalty: l1, l2Penalty: l2))
      let found = try #require(try model.predictions(from: judge).doubles)
      #expect(zip(found, wanted).allSatisfy { abs($0 - $1) < 1e-6 * abs($1) }, "L1 \(l1), L2 \(l2)")
    }
  }

  /// A table with words, integers, numbers and missing values.
  private static func mixed() throws -> MLDataTable {
    var table = MLDataTable()
    let kinds: [String] = ["flat", "house", "hut"]
    func floors(_ row: Int) -> Int { row * 13 % 11 }
    func area(_ row: Int) -> Double {
      row % 17 == 3 ? Double.nan : Double(row * 29 % 31) / 4
    }
    table.addColumn(MLUntypedColumn((0..<120).map { kinds[$0 * 7 % 3] }), named: "kind")
    table.addColumn(MLUntypedColumn((0..<120).map(floors)), named: "floors")
    table.addColumn(MLUntypedColumn((0..<120).map(area)), named: "area")
    func price(_ row: Int) -> Double {
      let house: Double = row * 7 % 3 == 1 ? 40 : 0
      return Double(row * 13 % 11) * 3 + house + Double(row * 29 % 31)
    }
    func size(_ row: Int) -> String {
      if row * 13 % 11 > 5 { return "large" }
      return row % 2 == 0 ? "small" : "odd"
    }
    table.addColumn(MLUntypedColumn((0..<120).map(price)), named: "price")
    table.addColumn(MLUntypedColumn((0..<120).map(size)), named: "size")
    return table
  }

  /// Predicts each row with the file that `model` writes.
  private static func answers(
    _ model: some MLTableModel, _ table: MLDataTable
  ) throws -> [MLDataValue] {
    let file: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("TableModelTests-\(UUID().uuidString).mlmodel")
    defer { try? FileManager.default.removeItem(at: file) }
    try model.write(
      to: file, metadata: MLModelMetadata(author: "Atelier", shortDescription: "A test."))
    let compiled: URL = try MLModel.compileModel(at: file)
    defer { try? FileManager.default.removeItem(at: compiled) }
    let written = try MLModel(contentsOf: compiled)
    #expect(written.modelDescription.metadata[.author] as? String == "Atelier")
    return try table.rows.map { row in
      var features: [String: Any] = [:]
      for name in model.featureColumns {
        switch row[name] {
        case .int(let value)?: features[name] = value
        case .double(let value)?: features[name] = value
        case .string(let value)?: features[name] = value
        default: break
        }
      }
      let answer = try written.prediction(from: MLDictionaryFeatureProvider(dictionary: features))
      let value = try #require(answer.featureValue(for: model.targetColumn))
      switch value.type {
      case .string: return .string(value.stringValue)
      case .int64: return .int(Int(value.int64Value))
      default: return .double(value.doubleValue)
      }
    }
  }

  @Test("A written classifier answers as the trained one, from words, integers and missing numbers")
  func writtenClassifiers() throws {
    let table = try Self.mixed()
    let features: [String] = ["kind", "floors", "area"]
    let boosted = try MLBoostedTreeClassifier(
      trainingData: table, targetColumn: "size", featureColumns: features)
    let forest = try MLRandomForestClassifier(
      trainingData: table, targetColumn: "size", featureColumns: features)
    let tree = try MLDecisionTreeClassifier(
      trainingData: table, targetColumn: "floors", featureColumns: ["kind", "area", "price"])
    #expect(try Self.answers(boosted, table) == Array(boosted.predictions(from: table).cells))
    #expect(try Self.answers(forest, table) == Array(forest.predictions(from: table).cells))
    #expect(try Self.answers(tree, table) == Array(tree.predictions(from: table).cells))
    #expect(boosted.trainingMetrics.classificationError < 0.2)
    let logistic = try MLLogisticRegressionClassifier(
      trainingData: table, targetColumn: "size", featureColumns: ["kind", "floors", "price"])
    #expect(try Self.answers(logistic, table) == Array(logistic.predictions(from: table).cells))
    let planes = try MLSupportVectorClassifier(
      trainingData: table, targetColumn: "size", featureColumns: ["kind", "floors", "price"])
    #expect(try Self.answers(planes, table) == Array(planes.predictions(from: table).cells))
    #expect(planes.trainingMetrics.classificationError < 0.4)
    let two = table[table["size"] != "odd"]
    let pair = try MLBoostedTreeClassifier(
      trainingData: two, targetColumn: "size", featureColumns: features)
    #expect(try Self.answers(pair, two) == Array(pair.predictions(from: two).cells))
    #expect(pair.trainingMetrics.classificationError == 0)
  }

  @Test("A written regressor answers as the trained one")
  func writtenRegressors() throws {
    let table = try Self.mixed()
    func difference(_ model: some MLTableRegressor) throws -> Double {
      let found = try Self.answers(model, table).map { $0.doubleValue ?? .nan }
      let trained = try #require(try model.predictions(from: table).doubles)
      return zip(found, trained).map { abs($0 - $1) }.max() ?? .nan
    }
    let features: [String] = ["kind", "floors", "area"]
    let boosted = try MLBoostedTreeRegressor(
      trainingData: table, targetColumn: "price", featureColumns: features)
    #expect(try difference(boosted) < 1e-9)
    #expect(boosted.trainingMetrics.rootMeanSquaredError < 10)
    #expect(
      try difference(
        MLRandomForestRegressor(
          trainingData: table, targetColumn: "price", featureColumns: features)) < 1e-9)
    #expect(
      try difference(
        MLLinearRegressor(
          trainingData: table, targetColumn: "price", featureColumns: ["kind", "floors"])) < 1e-9)
  }

  @Test("The best kind of model is chosen by its error on validation rows")
  func best() throws {
    let (learn, judge) = try Self.parts("wine")
    let classifier = try MLClassifier(trainingData: learn, targetColumn: "target")
    #expect(classifier.evaluation(on: judge).classificationError < 0.1)
    #expect(classifier.description.contains("of 'target'"))
    let table = try Self.mixed()
    let regressor = try MLRegressor(
      trainingData: table, targetColumn: "price", featureColumns: ["kind", "floors", "area"])
    #expect(regressor.evaluation(on: table).rootMeanSquaredError < 15)
  }

  @Test("Early stopping keeps the iterations up to the least validation loss")
  func earlyStopping() throws {
    let (learn, judge) = try Self.parts("diabetes")
    func error(_ rounds: Int?, iterations: Int) throws -> Double {
      try MLBoostedTreeRegressor(
        trainingData: learn, targetColumn: "target",
        parameters: .init(
          validation: .table(judge), maxDepth: 4, maxIterations: iterations,
          earlyStoppingRounds: rounds)
      ).validationMetrics.rootMeanSquaredError
    }
    let stopped: Double = try error(5, iterations: 200)
    #expect(try stopped < error(nil, iterations: 200))
    #expect(try stopped <= error(nil, iterations: 1))
  }

  @Test("Unusable tables and settings give one sentence")
  func faults() throws {
    let table = try Self.mixed()
    func message(_ body: () throws -> some MLTableModel) -> String {
      do {
        _ = try body()
        return "no error"
      } catch {
        return "\(error)"
      }
    }
    #expect(
      message { try MLLinearRegressor(trainingData: table, targetColumn: "cost") }
        == "The table has no column 'cost'; its columns are kind, floors, area, price, size.")
    #expect(
      message { try MLBoostedTreeRegressor(trainingData: table, targetColumn: "size") }
        == "The target 'size' has the type String, expected numbers; use a classifier for text.")
    #expect(
      message { try MLDecisionTreeClassifier(trainingData: table, targetColumn: "price") }
        == "The target 'price' has the type Double, expected text or integers; use a regressor for numbers."
    )
    #expect(
      message { try MLLinearRegressor(trainingData: table, targetColumn: "price") }.contains(
        "missing or infinite value"))
    #expect(
      message {
        try MLBoostedTreeClassifier(
          trainingData: table, targetColumn: "size", parameters: .init(maxDepth: 0))
      } == "The depth of the trees is 0, expected 1 to 64.")
    #expect(
      message {
        try MLBoostedTreeClassifier(
          trainingData: table, targetColumn: "size", parameters: .init(rowSubsample: 0))
      } == "The fraction of the rows is 0.0, expected above 0 and at most 1.")
    #expect(
      message {
        try MLSupportVectorClassifier(
          trainingData: table, targetColumn: "size", featureColumns: ["floors"],
          parameters: .init(penalty: 0))
      } == "The penalty is 0.0, expected more than 0.")
  }
}

extension MLUntypedColumn {
  /// The values as an array.
  var cells: [MLDataValue] { (0..<count).map { self[$0] } }
}
