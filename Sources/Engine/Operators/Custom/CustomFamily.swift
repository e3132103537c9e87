import Graph

extension OperatorFamily {
  /// Operators that the caller implements.
  public static let custom = OperatorFamily("Custom", [CustomLayer.self])
}
