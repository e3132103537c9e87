import Foundation

/// What an update calls while it works and when it is done, one call after another on a queue of its
/// own.
public final class MLUpdateProgressHandlers: NSObject {
  let events: MLUpdateProgressEvent
  let progressHandler: ((MLUpdateContext) -> Void)?
  let completionHandler: (MLUpdateContext) -> Void

  /// Handlers.
  ///
  /// - Parameters:
  ///   - interestedEvents: When `progressHandler` is called.
  ///   - progressHandler: The update waits until it returns. It may change what the next steps do by
  ///     ``MLUpdateTask/resume(withParameters:)``, and may cancel the task.
  ///   - completionHandler: Called once, when the task has completed or failed; not when it was
  ///     cancelled.
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
