import ClassicalModels
import Foundation
import ModelFormat

/// Computes feature engineering that turns one value into another.
struct ClassicalTransformRunner: ModelRunner {
  private let inputs: ClassicalInputs
  private let output: MLFeatureDescription
  private let name: String
  private let apply: @Sendable (ClassicalValue) throws -> ClassicalValue

  /// - Parameters:
  ///   - name: What errors call the model.
  ///   - keyType: What keys of dictionaries the model computes with, where it knows better than its
  ///     description: coremltools declares text keys for scikit-learn's vectorizers of whole numbers.
  init(
    _ description: MLModelDescription, name: String, keyType: MLFeatureType? = nil,
    apply: @escaping @Sendable (ClassicalValue) throws -> ClassicalValue
  ) throws {
    var inputs = try ClassicalInputs(description)
    if let keyType { inputs.take(keys: keyType) }
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

/// Computes a feature vectorizer.
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

/// Gives the inputs back as the outputs, in their order.
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
          + "\(outputNames.count) output features; expected as many.")
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

/// Computes a nearest-neighbours classifier.
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
