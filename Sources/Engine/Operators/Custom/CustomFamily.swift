import Graph

extension OperatorFamily {
  /// Operators that the caller brings.
  public static let custom = OperatorFamily("Custom", [CustomLayer.self])
}
