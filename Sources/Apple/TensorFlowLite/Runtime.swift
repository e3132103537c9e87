/// What runs the models.
public enum Runtime {
  /// The version of the interface of TensorFlow Lite that is offered here; what runs the models is Atelier's engine.
  public static let version = "2.17.0"
}
