/// What a training session does.
public enum MLPhase: String, Sendable, Hashable, Codable {
  /// It has not begun.
  case initialized
  /// It brings pictures to their sizes.
  case extractingFeatures
  /// It takes steps.
  case training
  /// It measures what it has learned.
  case evaluating
  /// It predicts.
  case inferencing
}
