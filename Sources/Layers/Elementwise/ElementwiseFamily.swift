import Engine

extension LayerFamily {
  /// Functions of each element, and of the elements at one place in several inputs.
  public static let elementwise = LayerFamily(
    "Elementwise",
    [
      UnaryLayer.self, AddLayer.self, MultiplyLayer.self, AverageLayer.self, MaxLayer.self,
      MinLayer.self, DotLayer.self,
      AddBroadcastableLayer.self, SubtractBroadcastableLayer.self,
      MultiplyBroadcastableLayer.self, DivideBroadcastableLayer.self,
      MaxBroadcastableLayer.self, MinBroadcastableLayer.self, ModBroadcastableLayer.self,
      FloorDivBroadcastableLayer.self, PowBroadcastableLayer.self,
      EqualLayer.self, NotEqualLayer.self, LessThanLayer.self, LessEqualLayer.self,
      GreaterThanLayer.self, GreaterEqualLayer.self,
      LogicalAndLayer.self, LogicalOrLayer.self, LogicalXorLayer.self, LogicalNotLayer.self,
      SinLayer.self, CosLayer.self, TanLayer.self, AsinLayer.self, AcosLayer.self, AtanLayer.self,
      SinhLayer.self, CoshLayer.self, TanhLayer.self, AsinhLayer.self, AcoshLayer.self,
      AtanhLayer.self, Exp2Layer.self, ErfLayer.self, SignLayer.self, RoundLayer.self,
      CeilLayer.self, FloorLayer.self, ClipLayer.self, ClampedReLULayer.self, GeluLayer.self,
      FormulaLayer.self,
    ])
}
