import Graph

extension OperatorFamily {
  /// Operators that walk along a sequence and remember.
  public static let recurrent = OperatorFamily(
    "Recurrent",
    [
      SimpleRecurrentOperator.self, GRUOperator.self, UniDirectionalLSTMOperator.self,
      BiDirectionalLSTMOperator.self,
    ])
}
