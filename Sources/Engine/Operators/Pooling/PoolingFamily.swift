import Graph

extension OperatorFamily {
  /// Operators that reduce each window of a feature map to one number.
  public static let pooling = OperatorFamily(
    "Pooling",
    [
      PoolingOperator.self, Pooling3DOperator.self, GlobalPooling3DOperator.self,
      PoolingGradientOperator.self,
    ])
}
