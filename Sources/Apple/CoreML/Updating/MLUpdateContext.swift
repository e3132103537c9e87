import Foundation
import ModelFormat
import Synchronization

/// The argument of an update's handlers: the progress of the update and the model in its current state.
public final class MLUpdateContext: NSObject {
  /// The update task.
  public let task: MLUpdateTask

  /// The event for which the update calls the handler; empty when the task has completed or failed.
  public let event: MLUpdateProgressEvent

  /// The metrics of the event, which are some or all of `lossValue`, `epochIndex` and `miniBatchIndex`. `lossValue` is
  /// the mean over the mini-batch or the epoch. When the task has completed or failed, these are the metrics of the
  /// last epoch.
  public let metrics: [MLMetricKey: Any]

  /// The values of all training parameters.
  public let parameters: [MLParameterKey: Any]

  private var specification: () -> Spec.Model
  private let configuration: MLModelConfiguration
  private var made: UpdatedModel?

  init(
    task: MLUpdateTask, event: MLUpdateProgressEvent, metrics: [MLMetricKey: Any],
    parameters: [MLParameterKey: Any], configuration: MLModelConfiguration,
    specification: @escaping () -> Spec.Model
  ) {
    self.task = task
    self.event = event
    self.metrics = metrics
    self.parameters = parameters
    self.configuration = configuration
    self.specification = specification
  }

  /// The model in its state at this event. If the task has failed, this is the model in its state at the failure.
  public var model: any MLModel & MLWritable {
    if let made { return made }
    let model = UpdatedModel(specification(), configuration: configuration)
    made = model
    return model
  }

  /// Copies the model's current state. The update calls this method if a handler keeps this object, because the update
  /// changes the model after the handler returns.
  func captureModel() {
    guard made == nil else { return }
    let copy: Spec.Model = specification()
    specification = { copy }
  }
}
