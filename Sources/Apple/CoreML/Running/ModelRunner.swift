/// Runs a model of one type. A model makes its runner once, when it is loaded.
protocol ModelRunner: Sendable {
  /// The number of threads that a prediction uses.
  var threadCount: Int { get }

  /// Returns this runner if the model is a neural network or an ML Program. Returns nil for other models.
  func networkRunner() throws -> NetworkRunner?

  /// Predicts. Many threads may call this method at once.
  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue]
}

extension ModelRunner {
  /// 1, because most types of models compute on one thread.
  var threadCount: Int { 1 }

  /// Returns nil, because models of most types are not neural networks.
  func networkRunner() -> NetworkRunner? { nil }
}
