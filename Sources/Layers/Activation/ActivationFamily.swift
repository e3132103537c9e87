import Engine

extension LayerFamily {
  /// Nonlinearities.
  public static let activation = LayerFamily("Activation", [ActivationLayer.self])
}
