import Foundation
import Platform

/// Work that is begun, goes on in the background, and can be cancelled.
open class MLTask: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: the state is behind a lock, the identifier is a constant.

  private struct Status {
    var state: MLTaskState = .suspended
    var error: (any Error)?
  }

  private let status: Locked<Status> = Locked(Status())

  /// A name that no other task has.
  public let taskIdentifier: String = UUID().uuidString

  override init() {
    super.init()
  }

  /// Where the task stands.
  public var state: MLTaskState { status.withLock { $0.state } }

  /// Why the task failed; nil unless it did.
  public var error: (any Error)? { status.withLock { $0.error } }

  /// Begins the work. A task that was begun before goes on as it was.
  public func resume() {
    let begins: Bool = status.withLock { status in
      guard status.state == .suspended else { return false }
      status.state = .running
      return true
    }
    if begins { begin() }
  }

  /// Stops the work at the next step; a task that has not begun never does. The state is then
  /// `failed`, with an error that says so.
  public func cancel() {
    status.withLock { status in
      switch status.state {
      case .suspended: status = Status(state: .failed, error: MLTask.cancelled)
      case .running: status.state = .cancelling
      case .cancelling, .completed, .failed: break
      }
    }
  }

  /// Does the work, or sees to it that somebody does.
  func begin() {}

  /// Whether the work is to stop.
  var isCancelling: Bool { state == .cancelling }

  /// The work is at rest: done, cancelled, or failed with an error. A cancelled task stays one.
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
    .update, "The update was cancelled before it was done.")
}
