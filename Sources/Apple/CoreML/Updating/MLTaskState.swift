/// The state of a task. Raw values are Apple's.
public enum MLTaskState: Int, Sendable {
  /// The task has not started.
  case suspended = 1
  /// The task is running.
  case running = 2
  /// The task was cancelled and is still running.
  case cancelling = 3
  /// The task succeeded.
  case completed = 4
  /// The task ended with an error, or was cancelled.
  case failed = 5
}
