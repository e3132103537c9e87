/// What computes a model of one type, made once when the model is loaded.
protocol ModelRunner: Sendable {
  /// Predicts. Safe from many threads at once.
  func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions?
  ) throws -> [String: MLFeatureValue]
}
