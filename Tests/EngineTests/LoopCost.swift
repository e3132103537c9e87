import ThreadClock

/// The least times of a loop and of the same layers in a straight line, in nanoseconds of this thread.
struct LoopCost {
  let inLoop, inLine: Int
  /// Whether others took the processor again and again.
  let isBusy: Bool

  /// How often both ways are timed before the ratio is looked at, and how often that is done again while it is too
  /// large: other tests share the caches with this one, and only lengthen what they touch, so that the shortest
  /// times come nearer to the truth. What is slow by itself stays slow.
  private static let pairs = 10
  private static let attempts = 24
  private static let fewInterruptions = 10

  /// Runs both in turns, until their ratio is within the limit; each says how long it took.
  init(limit: Double, loop: () throws -> Int, line: () throws -> Int) rethrows {
    let before: Int = ThreadClock.interruptions()
    var least = (inLoop: Int.max, inLine: Int.max)
    for attempt in 0..<Self.attempts
    where attempt == 0 || Double(least.inLoop) > limit * Double(least.inLine) {
      for _ in 0..<Self.pairs {
        least.inLoop = min(least.inLoop, try loop())
        least.inLine = min(least.inLine, try line())
      }
    }
    (inLoop, inLine) = least
    isBusy = ThreadClock.interruptions() - before > Self.fewInterruptions
  }

  var ratio: Double { Double(inLoop) / Double(inLine) }

  var text: String { "\(inLoop / 1000) µs in a loop, in a straight line \(inLine / 1000) µs" }
}
