import Graph

extension OperatorFamily {
  /// Nonlinearities.
  public static let activation = OperatorFamily(
    "Activation", [ActivationOperator.self, ChannelActivationOperator.self])
}
