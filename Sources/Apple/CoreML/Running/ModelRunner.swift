/// What computes a model of one type, made once when the model is loaded.
protocol ModelRunner: Sendable {
  /// The number of threads that a prediction takes.
  var threadCount: Int { get }

  /// Predicts. Safe from many threads at once.
  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue]
}

extension ModelRunner {
  /// What has no parallel work takes one.
  var threadCount: Int { 1 }
}
