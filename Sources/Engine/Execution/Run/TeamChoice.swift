/// Whether a call takes the team or the calling thread alone while other programs want the processors.
///
/// Threads of a team sleep then while they wait for each other (C/CKernels/Waiting.cpp), and need tens of
/// microseconds to meet, or milliseconds where the processors are taken. A call of many small steps, such as a
/// recurrent layer's, is faster on one thread; one large convolution is not. Which it is is measured: both ways in
/// turns, and the one whose best time is shorter stays for a while.
struct TeamChoice: Sendable {
  /// How often each way is tried.
  static let trials = 3
  /// After how many calls both ways are tried again: who else wants the processors changes.
  static let period = 256

  private var calls = 0
  /// The best time of either way in this period, in nanoseconds.
  private var team = UInt64.max
  private var alone = UInt64.max

  /// Whether the next call is for the calling thread alone.
  var isAlone: Bool { calls < 2 * Self.trials ? calls % 2 == 1 : alone < team }

  /// Notes what a call took, which was made as ``isAlone`` said.
  mutating func note(_ nanoseconds: UInt64) {
    if isAlone { alone = min(alone, nanoseconds) } else { team = min(team, nanoseconds) }
    calls += 1
    guard calls == Self.period else { return }
    self = TeamChoice()
  }
}
