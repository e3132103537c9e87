import Foundation
import ModelFormat

/// Runs the models of a pipeline one after another. Each model can read the inputs of the pipeline and the outputs of
/// all earlier models.
struct PipelineRunner: ModelRunner {
  private struct Stage {
    let runner: any ModelRunner
    let inputs: [MLFeatureDescription]
  }

  private let stages: [Stage]
  private let outputNames: [String]
  private let outputs: [String: MLFeatureDescription]
  private let inputs: [MLFeatureDescription]

  init(_ pipeline: Spec.Pipeline, description: MLModelDescription, settings: RunnerSettings) throws
  {
    guard !pipeline.models.isEmpty else {
      throw MLModelError(.io, "The pipeline has no models. The file may be damaged.")
    }
    let settings: RunnerSettings = settings.feeding(pipeline.models)
    stages = try pipeline.models.map { model in
      let stage: MLModelDescription = try MLModelDescription(model)
      return Stage(
        runner: try makeRunner(for: model, description: stage, settings: settings),
        inputs: stage.inputNames.compactMap { stage.inputDescriptionsByName[$0] })
    }
    outputNames = description.outputNames
    outputs = description.outputDescriptionsByName
    inputs = description.inputNames.compactMap { description.inputDescriptionsByName[$0] }
  }

  var threadCount: Int { stages.map(\.runner.threadCount).max() ?? 1 }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    let features: [String: MLFeatureValue] = try features(from: input, call: call)
    var results: [String: MLFeatureValue] = [:]
    for name in outputNames {
      guard let value = features[name] else {
        throw MLModelError(
          .io, "None of the pipeline's models computes its output feature \"\(name)\".")
      }
      results[name] = outputs[name].map { value.converted(for: $0) } ?? value
    }
    return results
  }

  /// Runs the pipeline. Returns, by name, the inputs of the pipeline and the outputs of all its models.
  func features(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    var features: [String: MLFeatureValue] = [:]
    for description in inputs {
      if let value = input.featureValue(for: description.name) {
        features[description.name] = value.asDeclared(by: description)
      }
    }
    var made: Set<String> = []
    for stage in stages {
      var stageInputs: [String: MLFeatureValue] = features
      for description in stage.inputs where made.contains(description.name) {
        stageInputs[description.name] = features[description.name]?.converted(for: description)
      }
      let results: [String: MLFeatureValue] = try stage.runner.prediction(
        from: MLDictionaryFeatureProvider(values: stageInputs), call: call)
      made.formUnion(results.keys)
      features.merge(results) { _, new in new }
    }
    return features
  }
}
