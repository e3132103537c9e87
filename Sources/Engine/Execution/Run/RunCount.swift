import Synchronization

/// How many runs share a process's cores at the moment, and so how many threads each takes.
///
/// Two predictions on two cores take one thread each: they never wait for each other between layers. When one ends, the
/// other goes on with both cores from its next layer on.
final class RunCount: Sendable {
  /// The runs of this process, on the cores that it may use.
  static let shared = RunCount(cores: ExecutionOptions.defaultThreads)

  private let cores: Int
  private let running = Atomic<Int>(0)

  /// No runs yet, on so many cores.
  init(cores: Int) { self.cores = cores }

  /// Counts one run more while the body runs.
  func counting<Result>(_ body: () throws -> Result) rethrows -> Result {
    running.add(1, ordering: .relaxed)
    defer { running.subtract(1, ordering: .relaxed) }
    return try body()
  }

  /// The threads that one of the runs takes now if it may take so many.
  func team(of threads: Int) -> Int {
    let count: Int = running.load(ordering: .relaxed)
    return count > 1 ? min(threads, max(1, cores / count)) : threads
  }
}
