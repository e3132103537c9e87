import Foundation

/// A model written in Swift, for what no built-in model can do.
///
/// The class is found as that of an ``MLCustomLayer`` is.
public protocol MLCustomModel: AnyObject {
  /// Makes the model with its description and the parameters in the file.
  init(modelDescription: MLModelDescription, parameters: [String: Any]) throws

  /// Predicts.
  func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions
  ) throws -> any MLFeatureProvider

  /// Predicts a batch.
  func predictions(
    from inputBatch: any MLBatchProvider, options: MLPredictionOptions
  ) throws -> any MLBatchProvider
}

extension MLCustomModel {
  /// Predicts a batch, entry by entry.
  public func predictions(
    from inputBatch: any MLBatchProvider, options: MLPredictionOptions
  ) throws -> any MLBatchProvider {
    MLArrayBatchProvider(
      array: try (0..<inputBatch.count).map {
        try prediction(from: inputBatch.features(at: $0), options: options)
      })
  }
}
