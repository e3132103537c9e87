import Graph

extension OperatorFamily {
  /// Recurrent operators: they read a sequence step by step and carry a state.
  public static let recurrent = OperatorFamily(
    "Recurrent",
    [
      SimpleRecurrentOperator.self, GRUOperator.self, UniDirectionalLSTMOperator.self,
      BiDirectionalLSTMOperator.self,
    ])
}
