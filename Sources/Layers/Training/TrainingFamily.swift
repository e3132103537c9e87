import Engine

extension LayerFamily {
  /// Layers of losses and optimisers; no model holds them.
  public static let training = LayerFamily(
    "Training",
    [
      GramMatrixLayer.self, GramMatrixGradientLayer.self, SquaredErrorLossLayer.self,
      SquaredErrorGradientLayer.self, CrossEntropyLossLayer.self, CrossEntropyGradientLayer.self,
      OptimizerStepLayer.self,
    ])
}
