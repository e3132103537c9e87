import ThreadClock

/// The shortest times of a loop and of its unrolled form, in nanoseconds of this thread's processor time.
struct LoopCost {
  let inLoop, inLine: Int

  /// How many pairs of runs are timed before each check of the ratio. While the ratio is too large, more pairs are
  /// timed and the ratio is checked again, but at most `attempts` times. Other tests share the caches with this test,
  /// which can only lengthen the measured times. So the shortest times are the most accurate. If the loop is too slow
  /// even without other tests, no number of pairs makes the ratio small enough.
  private static let pairs = 10
  private static let attempts = 24

  /// Runs the loop and the unrolled form alternately until the ratio of their shortest times is within the limit. Each
  /// closure returns its own duration in nanoseconds.
  init(limit: Double, loop: () throws -> Int, line: () throws -> Int) rethrows {
    var least = (inLoop: Int.max, inLine: Int.max)
    for attempt in 0..<Self.attempts
    where attempt == 0 || Double(least.inLoop) > limit * Double(least.inLine) {
      for _ in 0..<Self.pairs {
        least.inLoop = min(least.inLoop, try loop())
        least.inLine = min(least.inLine, try line())
      }
    }
    (inLoop, inLine) = least
  }

  var ratio: Double { Double(inLoop) / Double(inLine) }

  var text: String { "\(inLoop / 1000) µs in a loop, in a straight line \(inLine / 1000) µs" }
}
