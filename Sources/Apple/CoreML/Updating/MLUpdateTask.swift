import Dispatch
import Foundation
import ModelFormat
import Platform

/// A task that trains an updatable model with examples in the background.
///
/// The update does not change the model file. Handlers get the updated model and can write the updated model to a file.
public final class MLUpdateTask: MLTask, @unchecked Sendable {
  // `@unchecked Sendable`: only the queue uses the learner and the examples. A lock protects the requests.

  private let learner: any Learner
  private let examples: TrainingExamples
  private let handlers: MLUpdateProgressHandlers
  private let configuration: MLModelConfiguration
  private let queue = DispatchQueue(label: "Atelier.CoreML.update", qos: .userInitiated)

  /// The current parameters, and the changes that handlers requested and that the update has not applied yet.
  private struct Requests {
    var parameters: ModelParameters
    var pending: [SendableBox<[MLParameterKey: Any]>] = []
  }
  private let requests: Locked<Requests>

  /// The metrics of the last epoch, for the completion handler. Only the queue uses this property.
  private var lastMetrics: [MLMetricKey: Any] = [:]

  /// Opens the model and checks the configuration's parameters.
  ///
  /// - Throws: ``MLModelError`` for a model that is not updatable or cannot be opened, for a parameter that the model
  ///   does not have, and for a value that the model does not allow.
  init(
    model modelURL: URL, examples: TrainingExamples, configuration: MLModelConfiguration?,
    handlers: MLUpdateProgressHandlers
  ) throws {
    let own: MLModelConfiguration = (configuration ?? MLModelConfiguration()).duplicate()
    let loaded = try LoadedModel.load(contentsOf: modelURL, configuration: own)
    guard let model = loaded.updatable else {
      throw MLModelError(
        .update,
        "Model '\(modelURL.lastPathComponent)' is not updatable: its author did not mark it as such. "
          + "`atelier inspect` shows which models are.")
    }
    guard examples.count > 0 else {
      throw MLModelError(.update, "There are no training examples; an update needs one or more.")
    }
    var parameters = ModelParameters(loaded.description)
    try parameters.set(own.parameters ?? [:])
    requests = Locked(Requests(parameters: parameters))
    learner = try makeLearner(for: model, configuration: own)
    self.examples = examples
    self.handlers = handlers
    self.configuration = own
    super.init()
  }

  /// Makes a task that calls progress handlers. ``MLTask/resume()`` starts the task.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider,
    configuration: MLModelConfiguration?, progressHandlers: MLUpdateProgressHandlers
  ) throws {
    try self.init(
      model: modelURL, examples: TrainingExamples(trainingData), configuration: configuration,
      handlers: progressHandlers)
  }

  /// Changes training parameters from the next step on. Starts the task if it has not started. Call this method in a
  /// progress handler, or before the task starts.
  ///
  /// If the model does not allow one of the values, the task fails.
  public func resume(withParameters updateParameters: [MLParameterKey: Any]) {
    let request = SendableBox(updateParameters)
    requests.withLock { $0.pending.append(request) }
    resume()
  }

  override func begin() {
    queue.async { self.run() }
  }

  private func run() {
    do {
      try report(.trainingBegin, [:])
      try learner.learn(from: examples, reporting: self)
      finish(nil)
    } catch {
      finish(error)
    }
  }

  private func finish(_ failure: (any Error)?) {
    let wasCancelled: Bool = end(failure)
    if !wasCancelled { handlers.completionHandler(context([], lastMetrics)) }
  }

  private func context(
    _ event: MLUpdateProgressEvent, _ metrics: [MLMetricKey: Any]
  ) -> MLUpdateContext {
    let values: SendableBox<[MLParameterKey: Any]> = requests.withLock {
      SendableBox($0.parameters.values)
    }
    return MLUpdateContext(
      task: self, event: event, metrics: metrics, parameters: values.value,
      configuration: configuration
    ) { [learner] in learner.specification }
  }
}

extension MLUpdateTask: LearningProgress {
  var parameters: ModelParameters {
    get throws {
      try requests.withLock { requests in
        for request in requests.pending { try requests.parameters.set(request.value) }
        requests.pending = []
        return requests.parameters
      }
    }
  }

  func report(_ event: MLUpdateProgressEvent, _ metrics: [MLMetricKey: Any]) throws {
    if event == .epochEnd { lastMetrics = metrics }
    if let handler = handlers.progressHandler, !handlers.events.isDisjoint(with: event) {
      _ = try parameters
      var context: MLUpdateContext = context(event, metrics)
      handler(context)
      // If a handler keeps the context, the context must keep the model in its current state.
      if !isKnownUniquelyReferenced(&context) { context.captureModel() }
      _ = try parameters
    }
    if isCancelling { throw UpdateCancellation() }
  }
}
