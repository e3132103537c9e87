import Foundation
import ModelFormat

/// Updates a model of one type with training examples. One thread at a time may use a learner.
protocol Learner: AnyObject {
  /// The model in its current state of training.
  var specification: Spec.Model { get }

  /// Trains the model with the examples, and reports the end of every epoch and mini-batch. Throws if the task is
  /// cancelled.
  func learn(from examples: TrainingExamples, reporting progress: any LearningProgress) throws
}

/// Receives the progress of a learner.
protocol LearningProgress: AnyObject {
  /// The current values of the training parameters. A handler may have changed them since the last step.
  var parameters: ModelParameters { get throws }

  /// Reports an event. Throws if the task was cancelled.
  func report(_ event: MLUpdateProgressEvent, _ metrics: [MLMetricKey: Any]) throws
}

/// The error that ends a learner when its task was cancelled.
struct UpdateCancellation: Error {}

/// Makes the learner for a model.
///
/// - Throws: ``MLModelError`` when the model is not updatable.
func makeLearner(
  for model: Spec.Model, configuration: MLModelConfiguration
) throws -> any Learner {
  guard model.isUpdatable else {
    throw MLModelError(
      .update,
      "The model is not updatable: its author did not mark it as such. `atelier inspect` shows which "
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
      "The model is marked as updatable, but it is neither a neural network, nor a nearest-neighbours "
        + "classifier, nor a pipeline that ends with one of them.")
  }
}
