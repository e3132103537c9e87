import Foundation
import Platform

extension MLModel {
  func values(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> any MLFeatureProvider {
    MLDictionaryFeatureProvider(
      values: try translatingErrors { try loaded.runner.prediction(from: input, call: call) })
  }

  /// Predicts the outputs for an input. Blocks the caller.
  ///
  /// - Throws: ``MLModelError`` when the input does not match the model's description, or when a custom layer fails.
  public func prediction(from input: any MLFeatureProvider) throws -> any MLFeatureProvider {
    try values(from: input, call: PredictionCall())
  }

  /// Predicts the outputs for an input with options. Blocks the caller.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions
  ) throws -> any MLFeatureProvider {
    try values(from: input, call: PredictionCall(options))
  }

  /// Predicts without blocking the caller. Do not change the input before the prediction returns.
  ///
  /// Concurrent predictions start in the order of their calls. How many of them run at the same time depends on the
  /// number of cores.
  ///
  /// - Throws: ``MLModelError`` in the cases in which ``prediction(from:)`` throws. Throws the code
  ///   `predictionCancelled` when the caller's task is cancelled. A prediction that waits then throws immediately, and
  ///   a running prediction throws after its current layer.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    let input = SendableBox(input)
    let options = SendableBox(options)
    if Task.isCancelled {
      throw MLModelError(
        .predictionCancelled, "The prediction's task was cancelled before it began.")
    }
    return try await PredictionQueue.shared.result(threads: loaded.runner.threadCount) {
      isCancelled in
      SendableBox(
        try self.values(
          from: input.value, call: PredictionCall(options.value, isCancelled: isCancelled)))
    }
  }

  /// Predicts the outputs for every entry of a batch.
  public func predictions(fromBatch inputBatch: any MLBatchProvider) throws -> any MLBatchProvider {
    try predictions(from: inputBatch, options: MLPredictionOptions())
  }

  /// Predicts the outputs for every entry of a batch, with options.
  public func predictions(
    from inputBatch: any MLBatchProvider, options: MLPredictionOptions
  ) throws -> any MLBatchProvider {
    guard options.outputBackings.isEmpty || inputBatch.count <= 1 else {
      throw MLModelError(
        .parameters,
        "Output backings serve one prediction, but the batch has \(inputBatch.count) entries.")
    }
    return MLArrayBatchProvider(
      array: try (0..<inputBatch.count).map { index in
        try values(from: inputBatch.features(at: index), call: PredictionCall(options))
      })
  }
}
