import Foundation

/// The handlers that an update calls during its work and at its end. The update calls one handler at a time, on the
/// update's own queue.
public final class MLUpdateProgressHandlers: NSObject {
  let events: MLUpdateProgressEvent
  let progressHandler: ((MLUpdateContext) -> Void)?
  let completionHandler: (MLUpdateContext) -> Void

  /// Makes handlers.
  ///
  /// - Parameters:
  ///   - interestedEvents: The events for which `progressHandler` is called.
  ///   - progressHandler: The handler that is called for each event. The update waits until the handler returns. The
  ///     handler may change parameters with ``MLUpdateTask/resume(withParameters:)``, and may cancel the task.
  ///   - completionHandler: The handler that is called once when the task has completed or failed. The update does not
  ///     call it if the task was cancelled.
  public init(
    forEvents interestedEvents: MLUpdateProgressEvent,
    progressHandler: ((MLUpdateContext) -> Void)?,
    completionHandler: @escaping (MLUpdateContext) -> Void
  ) {
    events = interestedEvents
    self.progressHandler = progressHandler
    self.completionHandler = completionHandler
  }
}
