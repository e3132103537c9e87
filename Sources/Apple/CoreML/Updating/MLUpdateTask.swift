import Dispatch
import Foundation
import ModelFormat
import Platform

/// Teaches an updatable model with examples, in the background.
///
/// A model file is opened as ``MLModel`` opens one, and is not changed: the handlers get the model that
/// has learned, and write it where they want it.
public final class MLUpdateTask: MLTask, @unchecked Sendable {
  // `@unchecked Sendable`: the queue is the only one that uses learner and examples; the requests are
  // behind a lock.

  private let learner: any Learner
  private let examples: TrainingExamples
  private let handlers: MLUpdateProgressHandlers
  private let configuration: MLModelConfiguration
  private let queue = DispatchQueue(label: "Atelier.CoreML.update", qos: .userInitiated)

  /// The parameters, and what handlers asked for and nobody has looked at yet.
  private struct Requests {
    var parameters: ModelParameters
    var asked: [HandedOver<[MLParameterKey: Any]>] = []
  }
  private let requests: Locked<Requests>

  /// The metrics of the last epoch, for the completion handler. Only the queue uses them.
  private var lastMetrics: [MLMetricKey: Any] = [:]

  /// Opens the model and checks the configuration's parameters.
  ///
  /// - Throws: ``MLModelError`` for a model that is not updatable or cannot be opened, for parameters
  ///   that it does not have and values that it does not allow.
  init(
    model modelURL: URL, examples: TrainingExamples, configuration: MLModelConfiguration?,
    handlers: MLUpdateProgressHandlers
  ) throws {
    let own: MLModelConfiguration = (configuration ?? MLModelConfiguration()).duplicate()
    let loaded = try LoadedModel.load(contentsOf: modelURL, configuration: own)
    guard let model = loaded.updatable else {
      throw MLModelError(
        .update,
        "Model '\(modelURL.lastPathComponent)' is not updatable: its author has not marked it so. "
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

  /// A task that calls progress handlers. It begins with ``MLTask/resume()``.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider,
    configuration: MLModelConfiguration?, progressHandlers: MLUpdateProgressHandlers
  ) throws {
    try self.init(
      model: modelURL, examples: TrainingExamples(trainingData), configuration: configuration,
      handlers: progressHandlers)
  }

  /// Goes on with other values of parameters, from the next step on; begins a task that has not begun.
  /// To be called within a progress handler, which is there for that, or before.
  ///
  /// A value that the model does not allow fails the task.
  public func resume(withParameters updateParameters: [MLParameterKey: Any]) {
    let asked = HandedOver(updateParameters)
    requests.withLock { $0.asked.append(asked) }
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
    let values: HandedOver<[MLParameterKey: Any]> = requests.withLock {
      HandedOver($0.parameters.values)
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
        for asked in requests.asked { try requests.parameters.set(asked.value) }
        requests.asked = []
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
      // Whoever keeps the context sees the model as it is now.
      if !isKnownUniquelyReferenced(&context) { context.keepModel() }
      _ = try parameters
    }
    if isCancelling { throw UpdateCancellation() }
  }
}
