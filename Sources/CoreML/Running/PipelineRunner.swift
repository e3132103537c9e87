import Foundation
import ModelFormat

/// Computes the models of a pipeline one after another; each sees the features of all before it.
struct PipelineRunner: ModelRunner {
  private let stages: [any ModelRunner]
  private let outputNames: [String]
  private let inputs: [MLFeatureDescription]

  init(_ pipeline: Spec.Pipeline, description: MLModelDescription, settings: RunnerSettings) throws
  {
    guard !pipeline.models.isEmpty else {
      throw MLModelError(.io, "The pipeline has no models. The file may be damaged.")
    }
    stages = try pipeline.models.map { model in
      try makeRunner(
        for: model, description: try MLModelDescription(model), settings: settings)
    }
    outputNames = description.outputNames
    inputs = description.inputNames.compactMap { description.inputDescriptionsByName[$0] }
  }

  func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions?
  ) throws -> [String: MLFeatureValue] {
    var features: [String: MLFeatureValue] = [:]
    for description in inputs {
      if let value = input.featureValue(for: description.name) {
        features[description.name] = value
      }
    }
    for stage in stages {
      let results: [String: MLFeatureValue] = try stage.prediction(
        from: MLDictionaryFeatureProvider(values: features), options: options)
      features.merge(results) { _, new in new }
    }
    var results: [String: MLFeatureValue] = [:]
    for name in outputNames {
      guard let value = features[name] else {
        throw MLModelError(
          .io, "None of the pipeline's models makes its output feature \"\(name)\".")
      }
      results[name] = value
    }
    return results
  }
}
