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

  /// A part of a picture, in pixels of the picture.
  public struct Part: Sendable, Hashable {
    /// The size of the picture that goes into the network.
    public let height, width: Int
    /// The rows and columns of the part.
    public let rows, columns: Range<Int>

    /// Creates a part.
    public init(height: Int, width: Int, rows: Range<Int>, columns: Range<Int>) {
      (self.height, self.width) = (height, width)
      (self.rows, self.columns) = (rows, columns)
    }

    /// Creates a part that is the whole picture.
    public init(height: Int, width: Int) {
      self.init(height: height, width: width, rows: 0..<height, columns: 0..<width)
    }
  }

  /// Calls the closure, which may make at most one run. Meanwhile, the instance norms of sessions on the calling thread
  /// use the held statistics, or their own ones if none are held. Their own statistics of a part of the picture are
  /// summed up until ``adopt()``.
  ///
  /// Where the part reaches a side of the picture, it includes the margin that the network adds there. For a part that
  /// is smaller than the picture, call ``surveying(height:width:_:)`` twice before.
  public func measuring<Result>(_ part: Part, _ body: () throws -> Result) rethrows -> Result {
    var native = cns_part(
      height: Int64(part.height), width: Int64(part.width),
      rows: cns_span(part.rows), columns: cns_span(part.columns))
    cns_measure(record, &native)
    defer { cns_end() }
    return try body()
  }

  /// Calls the closure, which makes one run with a picture of this size. The run finds out how large the network's
  /// feature maps are, and changes no statistics. Two runs with different sizes say which pixels of a feature map
  /// belong to which pixels of a picture.
  public func surveying<Result>(
    height: Int, width: Int, _ body: () throws -> Result
  ) rethrows -> Result {
    cns_survey(record, Int64(height), Int64(width))
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

extension cns_span {
  fileprivate init(_ range: Range<Int>) {
    self.init(begin: Int64(range.lowerBound), end: Int64(range.upperBound))
  }
}
