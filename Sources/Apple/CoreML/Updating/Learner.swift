import Foundation
import ModelFormat

/// A model of one kind that learns. Used by one thread at a time.
protocol Learner: AnyObject {
  /// The model as far as it has learned.
  var specification: Spec.Model { get }

  /// Learns from the examples. Reports every epoch and mini-batch, which ends it by throwing when the
  /// task was cancelled.
  func learn(from examples: TrainingExamples, reporting progress: any LearningProgress) throws
}

/// Who is told how far a learner is.
protocol LearningProgress: AnyObject {
  /// The parameters as they are now; a handler may have changed them since the last step.
  var parameters: ModelParameters { get throws }

  /// Tells that something happened. Throws when the task was cancelled.
  func report(_ event: MLUpdateProgressEvent, _ metrics: [MLMetricKey: Any]) throws
}

/// Thrown through a learner when its task was cancelled.
struct UpdateCancellation: Error {}

/// The learner for what an update may change of a model.
///
/// - Throws: ``MLModelError`` where the model cannot learn.
func makeLearner(
  for model: Spec.Model, configuration: MLModelConfiguration
) throws -> any Learner {
  guard model.isUpdatable else {
    throw MLModelError(
      .update,
      "The model is not updatable: its author has not marked it so. `atelier inspect` shows which "
        + "models are.")
  }
  if let stages = model.stages {
    return try PipelineLearner(model, stages: stages, configuration: configuration)
  }
  switch model.type {
  case .kNearestNeighborsClassifier(let classifier)?:
    return try NeighborLearner(model, classifier)
  case .neuralNetwork?, .neuralNetworkClassifier?, .neuralNetworkRegressor?:
    return try NetworkLearner(model, configuration: configuration)
  default:
    throw MLModelError(
      .update,
      "The model is marked as updatable, but it is neither a neural network nor a nearest-neighbours "
        + "classifier nor a pipeline that ends with one.")
  }
}
