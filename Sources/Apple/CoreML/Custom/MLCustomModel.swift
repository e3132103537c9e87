import Foundation

/// A model that an app implements in Swift.
///
/// The model file contains the name of the class. The framework finds the class of that name in any module.
public protocol MLCustomModel: AnyObject {
  /// Makes the model with the description and the parameters in the model file.
  init(modelDescription: MLModelDescription, parameters: [String: Any]) throws

  /// Predicts the outputs for an input.
  func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions
  ) throws -> any MLFeatureProvider

  /// Predicts the outputs for every entry of a batch.
  func predictions(
    from inputBatch: any MLBatchProvider, options: MLPredictionOptions
  ) throws -> any MLBatchProvider
}

extension MLCustomModel {
  /// Predicts the outputs for the entries of a batch, one entry after another.
  public func predictions(
    from inputBatch: any MLBatchProvider, options: MLPredictionOptions
  ) throws -> any MLBatchProvider {
    MLArrayBatchProvider(
      array: try (0..<inputBatch.count).map {
        try prediction(from: inputBatch.features(at: $0), options: options)
      })
  }
}
