import ClassicalModels
import Foundation
import ModelFormat

/// Runs a regressor. A regressor computes numbers from numbers.
struct ClassicalRegressorRunner: ModelRunner {
  private let inputs: ClassicalInputs
  private let output: MLFeatureDescription
  private let predict: @Sendable ([Double]) throws -> [Double]

  init(
    _ description: MLModelDescription, predict: @escaping @Sendable ([Double]) throws -> [Double]
  ) throws {
    inputs = try ClassicalInputs(description)
    output = try ClassicalOutputs.only(of: description)
    self.predict = predict
  }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    let numbers: [Double] = try predict(try inputs.numbers(in: input))
    return [output.name: try ClassicalOutputs.value(numbers, for: output)]
  }
}

/// Runs a classifier. A classifier computes the probability of every class from numbers.
struct ClassicalClassifierRunner: ModelRunner {
  private let inputs: ClassicalInputs
  private let labels: ClassLabels
  private let labelName: String?
  private let probabilitiesName: String?
  private let predict: @Sendable ([Double]) throws -> [Double]

  /// Returns the labels in the model's description.
  static func labels(of description: MLModelDescription) throws -> ClassLabels {
    guard let labels = description.labels, labels.count > 0 else {
      throw MLModelError(.io, "The classifier has no class labels. The model may be damaged.")
    }
    return labels
  }

  init(
    _ description: MLModelDescription, labels: ClassLabels,
    predict: @escaping @Sendable ([Double]) throws -> [Double]
  ) throws {
    inputs = try ClassicalInputs(description)
    self.labels = labels
    labelName = description.predictedFeatureName ?? description.outputNames.first
    probabilitiesName =
      description.predictedProbabilitiesName
      ?? description.outputNames.first { name in
        description.outputDescriptionsByName[name]?.type == .dictionary
      }
    self.predict = predict
  }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    let probabilities: [Double] = try predict(try inputs.numbers(in: input))
    guard probabilities.count == labels.count, let best = try mostProbable(probabilities) else {
      throw MLModelError(
        .io,
        "The classifier has \(labels.count) class labels, but computes \(probabilities.count) "
          + "probabilities. The model may be damaged.")
    }
    var results: [String: MLFeatureValue] = [:]
    if let labelName { results[labelName] = labels.featureValue(at: best) }
    if let probabilitiesName {
      results[probabilitiesName] = MLFeatureValue(
        .probabilities(ProbabilityTable(labels: labels, values: probabilities)), type: .dictionary)
    }
    return results
  }
}
