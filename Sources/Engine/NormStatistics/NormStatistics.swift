import CNormStatistics

/// The means and variances of a network's instance norms, held over several runs.
///
/// Instance norms compute their statistics from each picture, so the brightness of a painted film jumps from frame to
/// frame. This object holds a running mean of the statistics. The runs on the calling thread share this mean:
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

  /// Calls the closure. Meanwhile, the instance norms of sessions on the calling thread use a running mean of their
  /// statistics. The closure may make at most one run. Plan the network before this call, because planning may run
  /// kernels to time them.
  ///
  /// - Parameter rate: How far the mean moves towards the statistics of the run before the norms use it, from 0 to 1.
  ///   The first run sets the mean.
  public func following<Result>(rate: Double, _ body: () throws -> Result) rethrows -> Result {
    cns_begin(record, rate)
    defer { cns_end() }
    return try body()
  }

  /// Calls the closure, which may make at most one run, of a part of a picture. Meanwhile, the instance norms of sessions
  /// on the calling thread use the held statistics, or their own ones if none are held. Their own statistics are summed
  /// up until ``adopt()``.
  ///
  /// - Parameter weight: The weight of the run in the sums, such as its number of pixels. Greater than 0.
  public func measuring<Result>(weight: Double, _ body: () throws -> Result) rethrows -> Result {
    cns_measure(record, weight)
    defer { cns_end() }
    return try body()
  }

  /// Replaces the held statistics by those of all runs that were measured since the last call, as if these runs had been
  /// one.
  ///
  /// - Returns: How far the statistics moved: the root mean square, over all channels, of the difference of the means in
  ///   standard deviations and of the relative difference of the standard deviations. Infinite if none were held, 0 if
  ///   the network has no instance norm.
  @discardableResult
  public func adopt() -> Double { cns_adopt(record) }

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
