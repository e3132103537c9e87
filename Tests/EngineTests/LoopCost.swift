import ThreadClock

/// The least times of a loop and of the same layers in a straight line, in nanoseconds of this thread.
struct LoopCost {
  private(set) var inLoop = Int.max
  private(set) var inLine = Int.max
  private let limit: Double

  /// How often both ways are timed before the ratio is looked at, and how often that is done again while it is too
  /// large: other tests share the caches with this one, and only lengthen what they touch, so that the shortest
  /// times come nearer to the truth. What is slow by itself stays slow.
  private static let pairs = 10
  private static let attempts = 24
  /// The most that a loop may cost where others use the machine, whose work in the shared caches lengthens loops
  /// more than straight lines (1.9 beside a compiler). What plans or looks up in a turn costs ten times as much.
  private static let busyLimit = 3.0
  private static let fewInterruptions = 10

  /// Runs both in turns; each says how long it took.
  init(limit: Double, loop: () throws -> Int, line: () throws -> Int) rethrows {
    let before: Int = ThreadClock.interruptions()
    var ratio = Double.infinity
    for _ in 0..<Self.attempts where ratio > limit {
      for _ in 0..<Self.pairs {
        inLoop = min(inLoop, try loop())
        inLine = min(inLine, try line())
      }
      ratio = Double(inLoop) / Double(inLine)
    }
    let isBusy: Bool = ThreadClock.interruptions() - before > Self.fewInterruptions
    self.limit = isBusy ? Self.busyLimit : limit
  }

  /// Whether the loop takes at most as many times the straight line's time as was said, or as a busy machine allows.
  var isWithinLimit: Bool { Double(inLoop) <= limit * Double(inLine) }

  var text: String { "\(inLoop / 1000) µs in a loop, in a straight line \(inLine / 1000) µs" }
}
