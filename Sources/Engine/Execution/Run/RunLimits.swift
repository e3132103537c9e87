/// What may end a run before its last layer: a time limit, or a caller who does not wait any more; and who is
/// told how far it is.
///
/// Looked at between two layers and between two rounds of a loop; a layer that has begun ends.
public struct RunLimits: Sendable {
  /// No limits.
  public static let none = RunLimits()

  /// When to give up, on the monotonic clock in nanoseconds; nil for never.
  private let deadline: UInt64?
  private let timeLimit: Duration?
  private let isCancelled: (@Sendable () -> Bool)?
  private let progress: (@Sendable (Double) -> Void)?

  /// Limits that count from now.
  ///
  /// - Parameters:
  ///   - timeLimit: the most time that the run may take; nil for any.
  ///   - isCancelled: asked from the thread that runs; true ends the run.
  ///   - progress: told from the thread that runs, before each layer, the share of layers that are done;
  ///     of a network whose layers are decided by values, nothing.
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

  /// Whether there is nothing to look at.
  var isNone: Bool { deadline == nil && isCancelled == nil && progress == nil }

  /// Tells how many of a run's layers are done.
  func report(_ done: Int, of count: Int) { progress?(Double(done) / Double(max(1, count))) }

  /// Throws `cancelled` or `timedOut` when the run should end.
  public func check() throws {
    if let isCancelled, isCancelled() {
      throw EngineError(.cancelled, "The prediction was cancelled before it ended.")
    }
    guard let deadline, let timeLimit, MonotonicClock.now() > deadline else { return }
    throw EngineError(
      .timedOut,
      "The prediction took longer than its time limit of \(timeLimit); a higher limit lets it go on."
    )
  }
}

/// A region on the way to another one: the name of its node, and which of the node's regions it is.
package struct RegionPlace: Hashable, Sendable {
  /// The name of the node that decides whether it runs.
  package let node: String
  /// Which of the node's regions: of a loop with a condition 0 is that and 1 the body.
  package let region: Int

  /// A region of a node.
  package init(node: String, region: Int) {
    self.node = node
    self.region = region
  }
}
