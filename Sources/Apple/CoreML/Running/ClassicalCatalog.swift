import ClassicalModels
import ModelFormat

/// Makes the runner for a model of a classical type, such as a tree ensemble. Returns nil for other types of models.
func makeClassicalRunner(
  for model: Spec.Model, description: MLModelDescription, settings: RunnerSettings
) throws -> (any ModelRunner)? {
  switch model.type {
  case .glmRegressor(let message)?:
    let regressor = try LinearRegressor(message)
    return try ClassicalRegressorRunner(description) { try regressor.predict($0) }
  case .treeEnsembleRegressor(let message)?:
    let regressor = try TreeRegressor(message)
    return try ClassicalRegressorRunner(description) { try regressor.predict($0) }
  case .supportVectorRegressor(let message)?:
    let regressor = try SupportVectorRegressor(message)
    return try ClassicalRegressorRunner(description) { try regressor.predict($0) }
  case .supportVectorClassifier(let message)?:
    let labels: ClassLabels = try ClassicalClassifierRunner.labels(of: description)
    let classifier = try SupportVectorClassifier(message, classCount: labels.count)
    return try ClassicalClassifierRunner(description, labels: labels) {
      try classifier.predict($0)
    }
  case .glmClassifier(let message)?:
    let labels: ClassLabels = try ClassicalClassifierRunner.labels(of: description)
    let classifier = try LinearClassifier(message, classCount: labels.count)
    return try ClassicalClassifierRunner(description, labels: labels) {
      try classifier.predict($0)
    }
  case .treeEnsembleClassifier(let message)?:
    let labels: ClassLabels = try ClassicalClassifierRunner.labels(of: description)
    let classifier = try TreeClassifier(message, classCount: labels.count)
    return try ClassicalClassifierRunner(description, labels: labels) {
      try classifier.predict($0)
    }
  case .kNearestNeighborsClassifier(let message)?:
    return try NearestNeighborsRunner(message, description, settings: settings)
  case .nonMaximumSuppression(let message)?:
    return try BoxSuppressionRunner(message, description)
  case .itemSimilarityRecommender(let message)?:
    return try RecommenderRunner(message, description)
  default:
    return try makeTransformRunner(for: model, description: description)
  }
}

/// Makes the runner for a feature engineering model, such as a scaler. Returns nil for other types of models.
private func makeTransformRunner(
  for model: Spec.Model, description: MLModelDescription
) throws -> (any ModelRunner)? {
  switch model.type {
  case .identity?:
    return try IdentityRunner(description)
  case .featureVectorizer(let message)?:
    return try FeatureVectorizerRunner(message, description)
  case .oneHotEncoder(let message)?:
    let encoder = try OneHotEncoder(message)
    let givesDictionary: Bool = try ClassicalOutputs.only(of: description).type == .dictionary
    return try ClassicalTransformRunner(description, name: "one-hot encoder") { value in
      guard givesDictionary else { return .numbers(try encoder.vector(of: value)) }
      return .integerDictionary(try encoder.position(of: value).map { [Int64($0): 1] } ?? [:])
    }
  case .scaler(let message)?:
    let scaler = Scaler(message)
    return try ClassicalTransformRunner(description, name: "scaler") { value in
      .numbers(try scaler.apply(try list(value, model: "scaler")))
    }
  case .normalizer(let message)?:
    let normalizer = try Normalizer(message)
    return try ClassicalTransformRunner(description, name: "normalizer") { value in
      .numbers(normalizer.apply(try list(value, model: "normalizer")))
    }
  case .imputer(let message)?:
    let imputer = try Imputer(message)
    return try ClassicalTransformRunner(description, name: "imputer") { try imputer.apply($0) }
  case .arrayFeatureExtractor(let message)?:
    let extractor = try ArrayFeatureExtractor(message)
    return try ClassicalTransformRunner(description, name: "array feature extractor") { value in
      .numbers(try extractor.apply(try list(value, model: "array feature extractor")))
    }
  case .soundAnalysisPreprocessing(let message)?:
    let preprocessing = try SoundPreprocessing(message)
    return try ClassicalTransformRunner(description, name: "sound preprocessing") { value in
      .numbers(try preprocessing.apply(try list(value, model: "sound preprocessing")))
    }
  case .classConfidenceThresholding?:
    // The specification says that this version of the model type marks all classes as present.
    return try ClassicalTransformRunner(description, name: "class confidence thresholding") {
      let confidences: [Double] = try list($0, model: "class confidence thresholding")
      return .numbers(confidences + [Double](repeating: 1, count: confidences.count))
    }
  case .categoricalMapping(let message)?:
    let mapping = try CategoricalMapping(message)
    return try ClassicalTransformRunner(description, name: "categorical mapping") {
      try mapping.apply($0)
    }
  case .dictVectorizer(let message)?:
    let vectorizer = try DictVectorizer(message)
    let isSparse: Bool = try ClassicalOutputs.only(of: description).type == .dictionary
    let keyType: MLFeatureType = vectorizer.hasIntegerKeys ? .int64 : .string
    return try ClassicalTransformRunner(
      description, name: "dictionary vectorizer", keyType: keyType
    ) { value in
      let numbers: [Double] = try vectorizer.vector(of: value)
      guard isSparse else { return .numbers(numbers) }
      var positions: [Int64: Double] = [:]
      for (index, number) in numbers.enumerated() where number != 0 {
        positions[Int64(index)] = number
      }
      return .integerDictionary(positions)
    }
  default:
    return nil
  }
}

/// Returns the value as a list of numbers.
private func list(_ value: ClassicalValue, model: String) throws -> [Double] {
  guard let list = value.list else {
    throw MLModelError(
      .featureType,
      "The \(model) computes with numbers, but its input is a string or a dictionary.")
  }
  return list
}
