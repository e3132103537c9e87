@_exported import CoreAudioTypes
@_exported import CoreFoundation
@_exported import CoreVideo
@_exported import Foundation

/// The numerator of a time.
public typealias CMTimeValue = Int64

/// The number of units per second.
public typealias CMTimeScale = Int32

/// The number of a timeline. Times of different timelines can be compared but not added.
public typealias CMTimeEpoch = Int64

/// The largest timescale.
public let kCMTimeMaxTimescale: CMTimeScale = 0x7fff_ffff

/// The properties of a time.
public struct CMTimeFlags: OptionSet, Sendable {
  /// The bits, as in Apple's framework.
  public let rawValue: UInt32

  /// Makes flags from their bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The time is valid.
  public static let valid: CMTimeFlags = CMTimeFlags(rawValue: 1)
  /// A computation rounded the time.
  public static let hasBeenRounded: CMTimeFlags = CMTimeFlags(rawValue: 2)
  /// The time is +∞.
  public static let positiveInfinity: CMTimeFlags = CMTimeFlags(rawValue: 4)
  /// The time is −∞.
  public static let negativeInfinity: CMTimeFlags = CMTimeFlags(rawValue: 8)
  /// The time is indefinite.
  public static let indefinite: CMTimeFlags = CMTimeFlags(rawValue: 16)
  /// The flags of infinite and indefinite times.
  public static let impliedValueFlagsMask: CMTimeFlags = CMTimeFlags(rawValue: 28)
}

/// A time as a fraction: `value` divided by `timescale` seconds.
public struct CMTime: Sendable {
  /// The numerator.
  public var value: CMTimeValue
  /// The denominator: the number of units per second.
  public var timescale: CMTimeScale
  /// The properties.
  public var flags: CMTimeFlags
  /// The number of the timeline; 0 for durations.
  public var epoch: CMTimeEpoch

  /// Makes an invalid time.
  public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

  /// Makes a time from its parts.
  public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
    self.value = value
    self.timescale = timescale
    self.flags = flags
    self.epoch = epoch
  }

  /// Makes the time `value / timescale` seconds.
  public init(value: CMTimeValue, timescale: CMTimeScale) {
    self.init(value: value, timescale: timescale, flags: .valid, epoch: 0)
  }

  /// Makes a time from seconds. Truncates the seconds to units of the timescale. Halves the timescale if the value is
  /// too large for 64 bits. Sets `hasBeenRounded` if the time differs from `seconds`.
  public init(seconds: Double, preferredTimescale: CMTimeScale) {
    guard preferredTimescale > 0, !seconds.isNaN else {
      self.init()
      return
    }
    var scale: CMTimeScale = preferredTimescale
    var units: Double = (seconds * Double(scale)).rounded(.towardZero)
    while Int64(exactly: units) == nil, scale > 1 {
      scale /= 2
      units = (seconds * Double(scale)).rounded(.towardZero)
    }
    guard let value = Int64(exactly: units) else {
      self = seconds > 0 ? .positiveInfinity : .negativeInfinity
      return
    }
    self.init(value: value, timescale: scale)
    if self.seconds != seconds { flags.insert(.hasBeenRounded) }
  }

  /// No time. Test with `isValid`, because other times are invalid, too.
  public static let invalid: CMTime = CMTime()
  /// An unknown time, such as the length of a live broadcast.
  public static let indefinite: CMTime = CMTime(
    value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
  /// +∞.
  public static let positiveInfinity: CMTime = CMTime(
    value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
  /// −∞.
  public static let negativeInfinity: CMTime = CMTime(
    value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
  /// 0 seconds.
  public static let zero: CMTime = CMTime(value: 0, timescale: 1)

  /// Whether the time is valid.
  public var isValid: Bool { flags.contains(.valid) }
  /// Whether the time is +∞.
  public var isPositiveInfinity: Bool { isValid && flags.contains(.positiveInfinity) }
  /// Whether the time is −∞.
  public var isNegativeInfinity: Bool { isValid && flags.contains(.negativeInfinity) }
  /// Whether the time is indefinite.
  public var isIndefinite: Bool { isValid && flags.contains(.indefinite) }
  /// Whether the time is a number.
  public var isNumeric: Bool { flags.intersection([.valid, .impliedValueFlagsMask]) == .valid }
  /// Whether a computation rounded the time.
  public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

  /// The seconds; NaN for an invalid or indefinite time.
  public var seconds: Double {
    if isNumeric { return Double(value) / Double(timescale) }
    if isPositiveInfinity { return .infinity }
    return isNegativeInfinity ? -.infinity : .nan
  }

  /// Returns the time with another timescale.
  public func convertScale(_ newTimescale: Int32, method: CMTimeRoundingMethod) -> CMTime {
    CMTimeConvertScale(self, timescale: newTimescale, method: method)
  }
}

extension CMTime: Comparable, Hashable {
  /// Compares the times: −∞, numbers by timeline and time, indefinite, +∞, invalid.
  public static func < (left: CMTime, right: CMTime) -> Bool { CMTimeCompare(left, right) < 0 }

  /// Times are equal if ``CMTimeCompare(_:_:)`` returns 0. Their timescales may differ.
  public static func == (left: CMTime, right: CMTime) -> Bool { CMTimeCompare(left, right) == 0 }

  /// Hashes the reduced fraction.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(order)
    guard isNumeric else { return }
    let divisor: Int128 = max(1, commonDivisor(Int128(value), Int128(timescale)))
    hasher.combine(Int128(value) / divisor)
    hasher.combine(value == 0 ? 1 : Int128(timescale) / divisor)
    hasher.combine(epoch)
  }

  /// The rank of the time's kind in the order of ``CMTimeCompare(_:_:)``.
  var order: Int32 {
    if !isValid { return 4 }
    if isPositiveInfinity { return 3 }
    if isNegativeInfinity { return 0 }
    return isIndefinite ? 2 : 1
  }

  /// The sum. See `CMTimeAdd`.
  public static func + (left: CMTime, right: CMTime) -> CMTime { CMTimeAdd(left, right) }

  /// The difference. See `CMTimeSubtract`.
  public static func - (left: CMTime, right: CMTime) -> CMTime { CMTimeSubtract(left, right) }
}

extension CMTime: CustomStringConvertible, Codable {
  /// The fraction and the seconds, such as `{1/2 = 0.500}`.
  public var description: String {
    if !isValid { return "{INVALID}" }
    if isIndefinite { return "{INDEFINITE}" }
    if isPositiveInfinity { return "{+INFINITY}" }
    if isNegativeInfinity { return "{-INFINITY}" }
    let rounded: String = hasBeenRounded ? ", rounded" : ""
    let timeline: String = epoch == 0 ? "" : ", epoch = \(epoch)"
    return "{\(value)/\(timescale) = \(String(format: "%.3f", seconds))\(rounded)\(timeline)}"
  }

  private enum CodingKeys: String, CodingKey { case value, timescale, flags, epoch }

  /// Reads the parts.
  public init(from decoder: any Decoder) throws {
    let parts = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      value: try parts.decode(Int64.self, forKey: .value),
      timescale: try parts.decode(Int32.self, forKey: .timescale),
      flags: CMTimeFlags(rawValue: try parts.decode(UInt32.self, forKey: .flags)),
      epoch: try parts.decode(Int64.self, forKey: .epoch))
  }

  /// Writes the parts.
  public func encode(to encoder: any Encoder) throws {
    var parts = encoder.container(keyedBy: CodingKeys.self)
    try parts.encode(value, forKey: .value)
    try parts.encode(timescale, forKey: .timescale)
    try parts.encode(flags.rawValue, forKey: .flags)
    try parts.encode(epoch, forKey: .epoch)
  }
}

/// Returns the greatest common divisor.
func commonDivisor(_ first: Int128, _ second: Int128) -> Int128 {
  var (larger, smaller) = (first.magnitude, second.magnitude)
  while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
  return Int128(larger)
}
