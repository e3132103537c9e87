/// A span of time. The range includes its start, but not its end.
public struct CMTimeRange: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The first moment.
  public var start: CMTime
  /// The length.
  public var duration: CMTime

  /// Makes an invalid range.
  public init() { self.init(start: .invalid, duration: .invalid) }

  /// Makes a range from its start and its length.
  public init(start: CMTime, duration: CMTime) {
    self.start = start
    self.duration = duration
  }

  /// Makes a range from its start and its end.
  public init(start: CMTime, end: CMTime) {
    self.init(start: start, duration: end - start)
  }

  /// No range.
  public static let invalid: CMTimeRange = CMTimeRange()
  /// The empty range at 0 seconds.
  public static let zero: CMTimeRange = CMTimeRange(start: .zero, duration: .zero)

  /// Whether the start is valid, and the length is a duration of at least 0.
  public var isValid: Bool {
    start.isValid && duration.isValid && duration.epoch == 0
      && (!duration.isNumeric || duration.value >= 0) && !duration.isNegativeInfinity
  }

  /// Whether the start or the length is indefinite.
  public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }

  /// Whether the range is valid and has no length.
  public var isEmpty: Bool { isValid && duration == .zero }

  /// The first moment after the range.
  public var end: CMTime { start + duration }

  /// Returns whether the range contains a time.
  public func containsTime(_ time: CMTime) -> Bool {
    isValid && time.isNumeric && start <= time && time < end
  }

  /// Returns whether the range contains all of another range.
  public func containsTimeRange(_ timeRange: CMTimeRange) -> Bool {
    isValid && timeRange.isValid && start <= timeRange.start && timeRange.end <= end
  }

  /// Returns the shortest range that contains both ranges.
  public func union(_ otherRange: CMTimeRange) -> CMTimeRange {
    guard isValid, otherRange.isValid else { return .invalid }
    return CMTimeRange(start: min(start, otherRange.start), end: max(end, otherRange.end))
  }

  /// Returns the intersection with another range. The intersection may be empty.
  public func intersection(_ otherRange: CMTimeRange) -> CMTimeRange {
    guard isValid, otherRange.isValid else { return .invalid }
    let first: CMTime = max(start, otherRange.start)
    let last: CMTime = min(end, otherRange.end)
    return first < last ? CMTimeRange(start: first, end: last) : .zero
  }

  /// The start and the length.
  public var description: String { "{\(start), \(duration)}" }
}

/// Makes a range from its start and its length.
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
  CMTimeRange(start: start, duration: duration)
}

/// Makes a range from its start and its end.
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange {
  CMTimeRange(start: start, end: end)
}

/// Returns the first moment after a range.
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

/// Returns whether a range contains a time.
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool {
  range.containsTime(time)
}

/// Returns whether a range contains all of another range.
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
  range.containsTimeRange(otherRange)
}

/// Returns whether two ranges have the same start and the same length.
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool {
  range1 == range2
}

/// Returns the shortest range that contains both ranges.
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
  range.union(otherRange)
}

/// Returns the intersection of two ranges.
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange)
  -> CMTimeRange
{
  range.intersection(otherRange)
}
