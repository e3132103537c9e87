import Synchronization

/// How many runs share a process's cores at the moment, and so how many threads each takes.
///
/// Two predictions on two cores take one thread each: they never wait for each other between layers. When one ends, the
/// other goes on with both cores, unless the next one begins soon after it.
final class RunCount: Sendable {
  /// The runs of this process, on the cores that it may use.
  static let shared = RunCount(cores: ExecutionOptions.defaultThreads)

  private let cores: Int
  private let patience: UInt64
  private let running = Atomic<Int>(0)
  /// When a run ended beside others, in nanoseconds; 0 where another has begun since.
  private let end = Atomic<UInt64>(0)

  /// No runs yet.
  ///
  /// - Parameters:
  ///   - cores: what they share.
  ///   - patience: for how long the place of a run that ended beside others is kept, in nanoseconds: who predicts
  ///     again and again turns its results into pixels meanwhile.
  init(cores: Int, patience: UInt64 = 5_000_000) {
    self.cores = cores
    self.patience = patience
  }

  /// Counts one run more while the body runs.
  func counting<Result>(_ body: () throws -> Result) rethrows -> Result {
    running.add(1, ordering: .relaxed)
    end.store(0, ordering: .relaxed)
    defer {
      if running.subtract(1, ordering: .relaxed).newValue > 0 {
        end.store(MonotonicClock.now(), ordering: .relaxed)
      }
    }
    return try body()
  }

  /// The threads that one of the runs takes now if it may take so many.
  func team(of threads: Int) -> Int {
    let ended: UInt64 = end.load(ordering: .relaxed)
    let isKept: Bool = ended > 0 && MonotonicClock.now() < ended + patience
    let count: Int = running.load(ordering: .relaxed) + (isKept ? 1 : 0)
    return count > 1 ? min(threads, max(1, cores / count)) : threads
  }
}
