import Graph

extension OperatorFamily {
  /// Activation functions.
  public static let activation = OperatorFamily(
    "Activation", [ActivationOperator.self, ChannelActivationOperator.self])
}
