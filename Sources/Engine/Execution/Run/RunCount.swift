import Synchronization

/// Counts the concurrent runs of a process and divides the threads among them.
///
/// Two predictions on two cores use one thread each, so they never wait for each other between layers. When one
/// prediction ends, the remaining prediction uses both cores, unless the next run begins soon.
final class RunCount: Sendable {
  /// The runs of this process, on the cores that it may use.
  static let shared = RunCount(cores: ExecutionOptions.defaultThreads)

  private let cores: Int
  private let patience: UInt64
  private let running = Atomic<Int>(0)
  /// The time, in nanoseconds, at which the last run ended while others continued. 0 if another run has begun since
  /// then.
  private let end = Atomic<UInt64>(0)

  /// Creates a counter without runs.
  ///
  /// - Parameters:
  ///   - cores: The cores that the runs share.
  ///   - patience: How long the cores of an ended run stay reserved while other runs continue, in nanoseconds. A
  ///     caller that predicts in a loop spends this time converting its last result.
  init(cores: Int, patience: UInt64 = 5_000_000) {
    self.cores = cores
    self.patience = patience
  }

  /// Counts one more run while the body runs.
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

  /// Returns the number of threads that a run may use now, at most the given number.
  func team(of threads: Int) -> Int {
    let ended: UInt64 = end.load(ordering: .relaxed)
    let isReserved: Bool = ended > 0 && MonotonicClock.now() < ended + patience
    let count: Int = running.load(ordering: .relaxed) + (isReserved ? 1 : 0)
    return count > 1 ? min(threads, max(1, cores / count)) : threads
  }
}
