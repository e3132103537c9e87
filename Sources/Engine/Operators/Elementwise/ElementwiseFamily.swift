import Graph

extension OperatorFamily {
  /// Functions of each element, or of the elements at the same index of several inputs.
  public static let elementwise = OperatorFamily(
    "Elementwise",
    [
      UnaryOperator.self, AddOperator.self, MultiplyOperator.self, AverageOperator.self,
      MaxOperator.self,
      MinOperator.self, DotOperator.self, BinaryFunctionOperator.self, UnaryFunctionOperator.self,
      ClipOperator.self, ClampedReLUOperator.self, GeluOperator.self, FormulaOperator.self,
      CastOperator.self, RoundOperator.self, ByteOperator.self,
    ])
}
