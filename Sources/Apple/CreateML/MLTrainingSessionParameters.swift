import Foundation

/// The parameters of a training session.
public struct MLTrainingSessionParameters: Sendable, Hashable {
  /// The folder of the session and its checkpoints; nil for a temporary folder.
  public let sessionDirectory: URL?
  /// The number of iterations between progress reports.
  public var reportInterval: Int
  /// The number of iterations between checkpoints.
  public var checkpointInterval: Int
  /// The maximum number of iterations of the session. The session also ends at the `maxIterations` of the model
  /// parameters.
  public var iterations: Int

  /// Makes parameters.
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
