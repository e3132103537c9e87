import Foundation
import Platform

/// Work that runs in the background and that a caller can cancel.
open class MLTask: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: a lock protects the state, and the identifier is a constant.

  private struct Status {
    var state: MLTaskState = .suspended
    var error: (any Error)?
  }

  private let status: Locked<Status> = Locked(Status())

  /// The unique name of the task.
  public let taskIdentifier: String = UUID().uuidString

  override init() {
    super.init()
  }

  /// The state of the task.
  public var state: MLTaskState { status.withLock { $0.state } }

  /// The error of a failed task; nil in other states.
  public var error: (any Error)? { status.withLock { $0.error } }

  /// Starts the work. Has no effect if the task was started already.
  public func resume() {
    let begins: Bool = status.withLock { status in
      guard status.state == .suspended else { return false }
      status.state = .running
      return true
    }
    if begins { begin() }
  }

  /// Stops the work at the next step. If the task has not started, it never starts. The state becomes `failed`, and the
  /// error says that the task was cancelled.
  public func cancel() {
    status.withLock { status in
      switch status.state {
      case .suspended: status = Status(state: .failed, error: MLTask.cancelled)
      case .running: status.state = .cancelling
      case .cancelling, .completed, .failed: break
      }
    }
  }

  /// Starts the work, on this thread or on another thread. Subclasses override this method.
  func begin() {}

  /// Whether the work should stop.
  var isCancelling: Bool { state == .cancelling }

  /// Sets the final state. The task has completed if `failure` is nil, and has failed otherwise. A cancelled task fails
  /// in both cases.
  ///
  /// - Returns: Whether the task was cancelled.
  func end(_ failure: (any Error)?) -> Bool {
    status.withLock { status in
      if status.state == .cancelling {
        status = Status(state: .failed, error: MLTask.cancelled)
        return true
      }
      status = Status(state: failure == nil ? .completed : .failed, error: failure)
      return false
    }
  }

  private static let cancelled = MLModelError(
    .update, "The update was cancelled before it was finished.")
}
