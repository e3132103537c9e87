import Foundation

/// A point of a training from which there is a model.
public struct MLCheckpoint {
  /// The model's file.
  public var url: URL
  /// What the session did.
  public var phase: MLPhase
  /// How many steps were taken.
  public var iteration: Int
  /// When it was written.
  public var date: Date
  /// What was measured.
  public var metrics: [MLProgress.Metric: Any]
}
