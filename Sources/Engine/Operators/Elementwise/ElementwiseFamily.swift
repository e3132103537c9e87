import Graph

extension OperatorFamily {
  /// Functions of each element, and of the elements at one place in several inputs.
  public static let elementwise = OperatorFamily(
    "Elementwise",
    [
      UnaryOperator.self, AddOperator.self, MultiplyOperator.self, AverageOperator.self, MaxOperator.self,
      MinOperator.self, DotOperator.self,
      AddBroadcastableOperator.self, SubtractBroadcastableOperator.self,
      MultiplyBroadcastableOperator.self, DivideBroadcastableOperator.self,
      MaxBroadcastableOperator.self, MinBroadcastableOperator.self, ModBroadcastableOperator.self,
      FloorDivBroadcastableOperator.self, PowBroadcastableOperator.self,
      EqualOperator.self, NotEqualOperator.self, LessThanOperator.self, LessEqualOperator.self,
      GreaterThanOperator.self, GreaterEqualOperator.self,
      LogicalAndOperator.self, LogicalOrOperator.self, LogicalXorOperator.self, LogicalNotOperator.self,
      SinOperator.self, CosOperator.self, TanOperator.self, AsinOperator.self, AcosOperator.self, AtanOperator.self,
      SinhOperator.self, CoshOperator.self, TanhOperator.self, AsinhOperator.self, AcoshOperator.self,
      AtanhOperator.self, Exp2Operator.self, ErfOperator.self, SignOperator.self, RoundOperator.self,
      CeilOperator.self, FloorOperator.self, ClipOperator.self, ClampedReLUOperator.self, GeluOperator.self,
      FormulaOperator.self,
    ])
}
