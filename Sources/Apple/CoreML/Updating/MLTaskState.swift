/// Where a task stands. Raw values are Apple's.
public enum MLTaskState: Int, Sendable {
  /// Not begun.
  case suspended = 1
  /// At work.
  case running = 2
  /// Told to stop, and not yet at rest.
  case cancelling = 3
  /// All done.
  case completed = 4
  /// Ended by an error, or by being cancelled.
  case failed = 5
}
