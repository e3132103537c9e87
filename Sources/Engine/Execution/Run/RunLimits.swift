/// A time limit and a cancellation check that can end a run early, and a progress callback.
///
/// The limits are checked between two layers and between two iterations of a loop. A layer that has started runs to its
/// end.
public struct RunLimits: Sendable {
  /// No limits.
  public static let none = RunLimits()

  /// The deadline on the monotonic clock in nanoseconds. Nil if there is no time limit.
  private let deadline: UInt64?
  private let timeLimit: Duration?
  private let isCancelled: (@Sendable () -> Bool)?
  private let progress: (@Sendable (Double) -> Void)?

  /// Creates limits that start now.
  ///
  /// - Parameters:
  ///   - timeLimit: The longest time that the run may take. Nil for no limit.
  ///   - isCancelled: Called on the running thread. If it returns true, the run ends.
  ///   - progress: Called on the running thread before each layer, with the fraction of layers that are done. It is not
  ///     called for a network with several segments.
  public init(
    timeLimit: Duration? = nil, isCancelled: (@Sendable () -> Bool)? = nil,
    progress: (@Sendable (Double) -> Void)? = nil
  ) {
    self.progress = progress
    self.timeLimit = timeLimit
    self.isCancelled = isCancelled
    deadline = timeLimit.map { limit in
      let seconds = UInt64(max(0, min(limit.components.seconds, 1 << 32)))
      let rest = UInt64(max(0, limit.components.attoseconds / 1_000_000_000))
      return MonotonicClock.now() + seconds * 1_000_000_000 + rest
    }
  }

  /// Whether there is nothing to check or report.
  var isNone: Bool { deadline == nil && isCancelled == nil && progress == nil }

  /// Reports how many of a run's layers are done.
  func report(_ done: Int, of count: Int) { progress?(Double(done) / Double(max(1, count))) }

  /// Throws `cancelled` or `timedOut` if the run should end.
  public func check() throws {
    if let isCancelled, isCancelled() {
      throw EngineError(.cancelled, "The prediction was cancelled before it ended.")
    }
    guard let deadline, let timeLimit, MonotonicClock.now() > deadline else { return }
    throw EngineError(
      .timedOut,
      "The prediction took longer than its time limit of \(timeLimit); set a higher limit to let it finish."
    )
  }
}

/// One step of the path to a region: the name of the node and the index of the region.
package struct RegionIndex: Hashable, Sendable {
  /// The name of the control node.
  package let node: String
  /// The index of the node's region. For a loop with a condition, 0 is the condition and 1 the body.
  package let region: Int

  /// Names a region of a node.
  package init(node: String, region: Int) {
    self.node = node
    self.region = region
  }
}
