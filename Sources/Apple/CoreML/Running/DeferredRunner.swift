import ModelFormat
import Platform

/// A runner that makes the actual runner of a model at the model's first prediction. An update passes many models to
/// its handlers, and most of these models never predict.
final class DeferredRunner: ModelRunner {
  private let model: Spec.Model
  private let description: MLModelDescription
  private let settings: RunnerSettings
  private let made: Locked<(any ModelRunner)?> = Locked(nil)

  init(_ model: Spec.Model, description: MLModelDescription, settings: RunnerSettings) {
    self.model = model
    self.description = description
    self.settings = settings
  }

  var threadCount: Int { settings.options.threads }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    try runner().prediction(from: input, call: call)
  }

  func networkRunner() throws -> NetworkRunner? { try runner().networkRunner() }

  private func runner() throws -> any ModelRunner {
    try made.withLock { known in
      if let known { return known }
      let fresh: any ModelRunner = try makeRunner(
        for: model, description: description, settings: settings)
      known = fresh
      return fresh
    }
  }
}
