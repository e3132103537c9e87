/// What computes a model of one type, made once when the model is loaded.
protocol ModelRunner: Sendable {
  /// The number of threads that a prediction takes.
  var threadCount: Int { get }

  /// The runner of the neural network that the model is; nil for models of other kinds.
  func networkRunner() throws -> NetworkRunner?

  /// Predicts. Safe from many threads at once.
  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue]
}

extension ModelRunner {
  /// What has no parallel work takes one.
  var threadCount: Int { 1 }

  /// Most kinds are no neural networks.
  func networkRunner() -> NetworkRunner? { nil }
}
