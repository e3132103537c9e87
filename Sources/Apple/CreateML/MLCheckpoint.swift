import Foundation

/// A model that a training wrote to a file after one of its iterations.
public struct MLCheckpoint {
  /// The file of the model at this checkpoint.
  public var url: URL
  /// The phase of the session in which the training wrote the checkpoint.
  public var phase: MLPhase
  /// The number of iterations that were finished at the checkpoint.
  public var iteration: Int
  /// The date at which the training wrote the checkpoint.
  public var date: Date
  /// The metrics at the checkpoint.
  public var metrics: [MLProgress.Metric: Any]
}
