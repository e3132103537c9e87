import Graph

extension OperatorFamily {
  /// Layers that the caller brings.
  public static let custom = OperatorFamily("Custom", [CustomLayer.self])
}
