import Foundation
import ModelFormat

/// Updates the last model of a pipeline. All models before it only compute the training examples for the last model.
final class PipelineLearner: Learner {
  private let pipeline: Spec.Model
  private let fixed: [Spec.Model]
  private let last: any Learner
  private let before: PipelineRunner?
  private let neededFeatures: [MLFeatureDescription]

  init(
    _ pipeline: Spec.Model, stages: [Spec.Model], configuration: MLModelConfiguration
  ) throws {
    guard let end = stages.last, end.isUpdatable else {
      throw MLModelError(
        .update,
        "The pipeline is marked as updatable, but its last model is not, and only the last model can be "
          + "updated.")
    }
    self.pipeline = pipeline
    fixed = stages.dropLast()
    last = try makeLearner(for: end, configuration: configuration)
    let description = MLModelDescription(unnamed: end)
    let inputs: [String: MLFeatureDescription] = description.inputDescriptionsByName.merging(
      description.trainingInputDescriptionsByName
    ) { _, training in training }
    neededFeatures = Array(inputs.values)
    if fixed.isEmpty {
      before = nil
    } else {
      var front = Spec.Pipeline()
      front.models = fixed
      before = try translatingErrors {
        try PipelineRunner(
          front, description: MLModelDescription(unnamed: pipeline),
          settings: RunnerSettings(configuration).feeding([end]))
      }
    }
  }

  var specification: Spec.Model { pipeline.replacingStages(fixed + [last.specification]) }

  func learn(from examples: TrainingExamples, reporting progress: any LearningProgress) throws {
    try last.learn(from: examples.map(features(of:)), reporting: progress)
  }

  /// Runs all models before the last model on an example. Returns the training example for the last model.
  private func features(of example: any MLFeatureProvider) throws -> any MLFeatureProvider {
    let made: [String: MLFeatureValue] =
      try before?.features(from: example, call: PredictionCall()) ?? [:]
    var values: [String: MLFeatureValue] = [:]
    for description in neededFeatures {
      guard let value = made[description.name] ?? example.featureValue(for: description.name) else {
        continue
      }
      values[description.name] = value.converted(for: description)
    }
    return MLDictionaryFeatureProvider(values: values)
  }
}
