import Foundation

extension MLModel {
  /// Makes memory for the model's states, of which no model that loads here has any.
  public func makeState() -> MLState { MLState() }

  /// Predicts with state; throws for a model that has none.
  public func prediction(
    from inputFeatures: any MLFeatureProvider, using state: MLState
  ) throws -> any MLFeatureProvider {
    throw stateless
  }

  /// Predicts with state; throws for a model that has none.
  public func prediction(
    from inputFeatures: any MLFeatureProvider, using state: MLState, options: MLPredictionOptions
  ) throws -> any MLFeatureProvider {
    throw stateless
  }

  /// Predicts with state; throws for a model that has none.
  public func prediction(
    from input: any MLFeatureProvider, using state: MLState,
    options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    throw stateless
  }

  private var stateless: MLModelError {
    MLModelError(
      .generic,
      "The model has no state; call prediction(from:) without one. Models with state are not "
        + "supported yet.")
  }
}
