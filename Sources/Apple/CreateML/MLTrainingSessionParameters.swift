import Foundation

/// How a training session keeps its work.
public struct MLTrainingSessionParameters: Sendable, Hashable {
  /// Where checkpoints go, and where a session is found again; nil keeps them until the program ends.
  public let sessionDirectory: URL?
  /// How many steps lie between reports of progress.
  public var reportInterval: Int
  /// How many steps lie between checkpoints.
  public var checkpointInterval: Int
  /// The most steps of the session; a model's own maximum counts too.
  public var iterations: Int

  /// Parameters of a session.
  public init(
    sessionDirectory: URL? = nil, reportInterval: Int = 5, checkpointInterval: Int = 10,
    iterations: Int = 1000
  ) {
    self.sessionDirectory = sessionDirectory
    self.reportInterval = reportInterval
    self.checkpointInterval = checkpointInterval
    self.iterations = iterations
  }
}
