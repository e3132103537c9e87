import Engine

extension LayerFamily {
  /// Layers that summarise windows of a feature map.
  public static let pooling = LayerFamily(
    "Pooling",
    [PoolingLayer.self, Pooling3DLayer.self, GlobalPooling3DLayer.self, PoolingGradientLayer.self])
}
