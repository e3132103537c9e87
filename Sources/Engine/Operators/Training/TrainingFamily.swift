import Graph

extension OperatorFamily {
  /// Losses and optimisers; no model holds them.
  public static let training = OperatorFamily(
    "Training",
    [
      GramMatrixOperator.self, GramMatrixGradientOperator.self, SquaredErrorLossOperator.self,
      SquaredErrorGradientOperator.self, CrossEntropyLossOperator.self,
      CrossEntropyGradientOperator.self,
      OptimizerStepOperator.self,
    ])
}
