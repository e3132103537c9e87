/// Decides whether a call runs on the team or on the calling thread alone while other programs need the processors.
///
/// In this situation, threads of a team sleep while they wait for each other (C/CKernels/threads/ThreadWaiting.cpp).
/// The threads need tens of microseconds to meet, or milliseconds if the processors are busy. A call of many small
/// steps, such as a recurrent layer's, is then faster on one thread. A large convolution is faster on the team. At
/// first, calls alternate between the team and one thread. Later calls use the choice with the shorter best time.
struct TeamChoice: Sendable {
  /// How often calls are timed on the team, and how often on one thread.
  static let trials = 3
  /// The number of calls after which a new period begins. Both choices are then timed again, because the load of the
  /// machine changes.
  static let period = 256

  private var calls = 0
  /// The best time on the team, and the best time on one thread, in this period, in nanoseconds.
  private var team = UInt64.max
  private var alone = UInt64.max

  /// Whether the next call runs on the calling thread alone.
  var isAlone: Bool { calls < 2 * Self.trials ? calls % 2 == 1 : alone < team }

  /// Records the time of a call that ran as ``isAlone`` said.
  mutating func note(_ nanoseconds: UInt64) {
    if isAlone { alone = min(alone, nanoseconds) } else { team = min(team, nanoseconds) }
    calls += 1
    guard calls == Self.period else { return }
    self = TeamChoice()
  }
}
