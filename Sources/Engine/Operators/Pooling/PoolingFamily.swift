import Graph

extension OperatorFamily {
  /// Layers that summarise windows of a feature map.
  public static let pooling = OperatorFamily(
    "Pooling",
    [
      PoolingOperator.self, Pooling3DOperator.self, GlobalPooling3DOperator.self,
      PoolingGradientOperator.self,
    ])
}
