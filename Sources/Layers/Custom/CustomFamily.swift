import Engine

extension LayerFamily {
  /// Layers that the caller brings.
  public static let custom = LayerFamily("Custom", [CustomLayer.self])
}
