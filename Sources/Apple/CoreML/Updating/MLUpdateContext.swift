import Foundation
import ModelFormat
import Synchronization

/// What an update tells its handlers: how far it is, and the model as it is then.
public final class MLUpdateContext: NSObject {
  /// The update.
  public let task: MLUpdateTask

  /// What happened; none when all is done or failed.
  public let event: MLUpdateProgressEvent

  /// What was measured: `lossValue` (the mean over the mini-batch, or over the epoch), `epochIndex` and
  /// `miniBatchIndex`, as far as they have a meaning at the event.
  public let metrics: [MLMetricKey: Any]

  /// The values of all parameters of the training.
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

  /// The model as it is at this event; after a failure, as far as it has learned.
  public var model: any MLModel & MLWritable {
    if let made { return made }
    let model = UpdatedModel(specification(), configuration: configuration)
    made = model
    return model
  }

  /// Keeps the model as it is now: the update goes on and somebody holds the context.
  func keepModel() {
    guard made == nil else { return }
    let copy: Spec.Model = specification()
    specification = { copy }
  }
}
