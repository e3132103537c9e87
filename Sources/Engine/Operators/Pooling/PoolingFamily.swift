import Graph

extension OperatorFamily {
  /// Operators that summarise windows of a feature map.
  public static let pooling = OperatorFamily(
    "Pooling",
    [
      PoolingOperator.self, Pooling3DOperator.self, GlobalPooling3DOperator.self,
      PoolingGradientOperator.self,
    ])
}
