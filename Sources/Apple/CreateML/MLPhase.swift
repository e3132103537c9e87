/// A phase of a training session.
public enum MLPhase: String, Sendable, Hashable, Codable {
  /// The session is not running: it has not started, or it has finished.
  case initialized
  /// The session prepares the images.
  case extractingFeatures
  /// The session trains.
  case training
  /// The session evaluates the model.
  case evaluating
  /// The session predicts.
  case inferencing
}
