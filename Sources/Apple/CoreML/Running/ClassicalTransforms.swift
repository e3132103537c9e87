import ClassicalModels
import Foundation
import ModelFormat

/// Runs a feature engineering model that converts one value into another value.
struct ClassicalTransformRunner: ModelRunner {
  private let inputs: ClassicalInputs
  private let output: MLFeatureDescription
  private let name: String
  private let apply: @Sendable (ClassicalValue) throws -> ClassicalValue

  /// - Parameters:
  ///   - name: The name of the model in error messages.
  ///   - keyType: The key type of dictionaries, if the model's key type differs from the key type in the description;
  ///     nil otherwise. The key types differ for scikit-learn's vectorizers of integers, because coremltools declares
  ///     string keys for them.
  init(
    _ description: MLModelDescription, name: String, keyType: MLFeatureType? = nil,
    apply: @escaping @Sendable (ClassicalValue) throws -> ClassicalValue
  ) throws {
    var inputs = try ClassicalInputs(description)
    if let keyType { inputs.setKeyType(keyType) }
    self.inputs = inputs
    output = try ClassicalOutputs.only(of: description)
    self.name = name
    self.apply = apply
  }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    let value: MLFeatureValue = try inputs.onlyValue(in: input, model: name)
    let result: ClassicalValue = try apply(
      try value.classicalValue(for: inputs.descriptions[0]))
    let shape: [Int]? = value.multiArrayValue.flatMap { array in
      result.isList(of: array.count) ? array.layout.shape : nil
    }
    return [output.name: try ClassicalOutputs.value(result, for: output, shape: shape)]
  }
}

/// Runs a feature vectorizer: a model that concatenates the numbers of its inputs into one vector.
struct FeatureVectorizerRunner: ModelRunner {
  private let inputs: [String: MLFeatureDescription]
  private let output: MLFeatureDescription
  private let vectorizer: FeatureVectorizer

  init(_ message: Spec.FeatureVectorizer, _ description: MLModelDescription) throws {
    vectorizer = try FeatureVectorizer(message)
    inputs = description.inputDescriptionsByName
    output = try ClassicalOutputs.only(of: description)
    for name in vectorizer.names where inputs[name] == nil {
      throw MLModelError(
        .io,
        "The feature vectorizer has the column \"\(name)\", but the model has no input feature of "
          + "this name.")
    }
  }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    let numbers: [Double] = try vectorizer.vector { name in
      guard let description = inputs[name],
        let value = try ClassicalInputs.value(of: description, in: input)
      else {
        throw MLModelError(
          .featureType,
          "The input feature \"\(name)\" has no value, but the feature vectorizer needs one.")
      }
      return try value.classicalValue(for: description)
    }
    return [output.name: try ClassicalOutputs.value(numbers, for: output)]
  }
}

/// Runs an identity model. The outputs of the model are its inputs, in the same order.
struct IdentityRunner: ModelRunner {
  private let inputs: ClassicalInputs
  private let outputNames: [String]

  init(_ description: MLModelDescription) throws {
    inputs = try ClassicalInputs(description)
    outputNames = description.outputNames
    guard inputs.descriptions.count == outputNames.count else {
      throw MLModelError(
        .io,
        "The identity model has \(inputs.descriptions.count) input features, but "
          + "\(outputNames.count) output features; expected the same number.")
    }
  }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    var results: [String: MLFeatureValue] = [:]
    for (description, name) in zip(inputs.descriptions, outputNames) {
      results[name] =
        try ClassicalInputs.value(of: description, in: input)
        ?? MLFeatureValue(undefined: description.type)
    }
    return results
  }
}

/// Runs a nearest-neighbours classifier.
struct NearestNeighborsRunner: ModelRunner {
  private let inputs: ClassicalInputs
  private let labelName: String?
  private let probabilitiesName: String?
  private let labels: ClassLabels
  private let classifier: NearestNeighbors

  init(
    _ message: Spec.KNearestNeighborsClassifier, _ description: MLModelDescription,
    settings: RunnerSettings
  ) throws {
    inputs = try ClassicalInputs(description)
    classifier = try NearestNeighbors(message, numberOfNeighbors: settings.numberOfNeighbors)
    switch classifier.labels {
    case .strings(let labels): self.labels = .strings(labels)
    case .integers(let labels): self.labels = .integers(labels)
    }
    labelName = description.predictedFeatureName ?? description.outputNames.first
    probabilitiesName = description.predictedProbabilitiesName
  }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    let (label, shares): (Int, [Double]) = try classifier.predict(try inputs.numbers(in: input))
    var results: [String: MLFeatureValue] = [:]
    if let labelName { results[labelName] = labels.featureValue(at: label) }
    if let probabilitiesName {
      results[probabilitiesName] = MLFeatureValue(
        .probabilities(ProbabilityTable(labels: labels, values: shares)), type: .dictionary)
    }
    return results
  }
}
