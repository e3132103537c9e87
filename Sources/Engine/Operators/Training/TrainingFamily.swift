import Graph

extension OperatorFamily {
  /// The losses and the optimiser steps that training adds to a graph. No model file contains them.
  public static let training = OperatorFamily(
    "Training",
    [
      GramMatrixOperator.self, GramMatrixGradientOperator.self, SquaredErrorLossOperator.self,
      SquaredErrorGradientOperator.self, CrossEntropyLossOperator.self,
      CrossEntropyGradientOperator.self,
      OptimizerStepOperator.self,
    ])
}
