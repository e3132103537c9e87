import Foundation
import ModelFormat

/// Teaches the last model of a pipeline with what the models before it make of the examples.
final class PipelineLearner: Learner {
  private let pipeline: Spec.Model
  private let fixed: [Spec.Model]
  private let last: any Learner
  private let before: PipelineRunner?
  private let wanted: [MLFeatureDescription]

  init(
    _ pipeline: Spec.Model, stages: [Spec.Model], configuration: MLModelConfiguration
  ) throws {
    guard let end = stages.last, end.isUpdatable else {
      throw MLModelError(
        .update,
        "The pipeline is marked as updatable, but its last model is not, which is the one that an "
          + "update changes.")
    }
    self.pipeline = pipeline
    fixed = stages.dropLast()
    last = try makeLearner(for: end, configuration: configuration)
    let description = MLModelDescription(unnamed: end)
    let inputs: [String: MLFeatureDescription] = description.inputDescriptionsByName.merging(
      description.trainingInputDescriptionsByName
    ) { _, training in training }
    wanted = Array(inputs.values)
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

  /// The features of an example that the last model learns from.
  private func features(of example: any MLFeatureProvider) throws -> any MLFeatureProvider {
    let made: [String: MLFeatureValue] =
      try before?.features(from: example, call: PredictionCall()) ?? [:]
    var values: [String: MLFeatureValue] = [:]
    for description in wanted {
      guard let value = made[description.name] ?? example.featureValue(for: description.name) else {
        continue
      }
      values[description.name] = value.converted(for: description)
    }
    return MLDictionaryFeatureProvider(values: values)
  }
}
