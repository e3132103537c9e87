import Foundation

extension MLModel {
  func values(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> any MLFeatureProvider {
    MLDictionaryFeatureProvider(
      values: try translatingErrors { try loaded.runner.prediction(from: input, call: call) })
  }

  /// Predicts.
  ///
  /// - Throws: ``MLModelError`` when the input does not fit the model's description, or a custom
  ///   layer fails.
  public func prediction(from input: any MLFeatureProvider) throws -> any MLFeatureProvider {
    try values(from: input, call: PredictionCall())
  }

  /// Predicts with options.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions
  ) throws -> any MLFeatureProvider {
    try values(from: input, call: PredictionCall(options))
  }

  /// Predicts without blocking the caller. The input must not be changed meanwhile.
  ///
  /// Predictions of many callers run in their order, as many at a time as the machine's cores are worth.
  ///
  /// - Throws: ``MLModelError`` as the others do; with the code `predictionCancelled` when the caller's
  ///   task is cancelled: at once while the prediction waits for its turn, and after the layer that it is
  ///   in when it has begun.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    let input = HandedOver(input)
    let options = HandedOver(options)
    if Task.isCancelled {
      throw MLModelError(
        .predictionCancelled, "The prediction's task was cancelled before it began.")
    }
    return try await PredictionQueue.shared.result(threads: loaded.runner.threadCount) {
      isCancelled in
      HandedOver(
        try self.values(
          from: input.value, call: PredictionCall(options.value, isCancelled: isCancelled)))
    }
  }

  /// Predicts for every entry of a batch.
  public func predictions(fromBatch inputBatch: any MLBatchProvider) throws -> any MLBatchProvider {
    try predictions(from: inputBatch, options: MLPredictionOptions())
  }

  /// Predicts for every entry of a batch, with options.
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
