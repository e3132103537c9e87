/// The runtime of models.
public enum Runtime {
  /// The version of TensorFlow Lite's interface that this module implements. Atelier's engine runs the models.
  public static let version = "2.17.0"
}
