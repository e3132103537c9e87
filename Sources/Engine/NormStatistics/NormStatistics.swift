import CNormStatistics

/// The means and variances of a network's instance norms, held over several runs.
///
/// Instance norms compute their statistics from each picture. So the brightness of a film's painting jumps from frame to
/// frame. With held statistics, runs on the calling thread share them:
///
///     let statistics = NormStatistics()
///     for frame in frames {
///       try statistics.following(rate: 1 / 8) { try session.run() }
///     }
///
/// All runs must be of the same network with the same batch size. The size of the pictures may change.
///
/// `@unchecked Sendable`: a value may move between threads, but only one thread at a time may use it.
public final class NormStatistics: @unchecked Sendable {
  private let record: OpaquePointer

  /// Creates empty statistics.
  public init() {
    guard let record = cns_create() else { preconditionFailure("no memory for a record") }
    self.record = record
  }

  deinit { cns_destroy(record) }

  /// Calls the closure. Norms of sessions that run in it, on the calling thread, use a running mean of their statistics.
  /// A network must be planned before, because planning may time kernels. At most one run may be in the closure.
  ///
  /// - Parameter rate: How far the mean first moves towards the run's own statistics, 0 to 1. The first run begins the
  ///   mean.
  public func following<Result>(rate: Double, _ body: () throws -> Result) rethrows -> Result {
    cns_begin(record, rate)
    defer { cns_end() }
    return try body()
  }

  /// Forgets all statistics, for example at a cut.
  public func forget() { cns_clear(record) }

  /// The held statistics as numbers: for each norm the number of channels, the means, and the variances. Setting numbers
  /// that are not consistent leaves the statistics empty.
  public var values: [Double] {
    get {
      [Double](unsafeUninitializedCapacity: Int(cns_value_count(record))) { buffer, count in
        // Safe: the buffer has the capacity that the record asked for.
        if let start = buffer.baseAddress { cns_read(record, start) }
        count = buffer.count
      }
    }
    set { _ = cns_write(record, newValue, Int64(newValue.count)) }
  }
}
