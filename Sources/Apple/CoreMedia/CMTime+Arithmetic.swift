/// How a time is rounded to units of its timescale. The raw values are Apple's.
public enum CMTimeRoundingMethod: UInt32, Sendable {
  /// To the nearest unit. Halves are rounded away from zero.
  case roundHalfAwayFromZero = 1
  /// Towards zero.
  case roundTowardZero = 2
  /// Away from zero.
  case roundAwayFromZero = 3
  /// Away from zero if the new timescale is finer, and towards zero otherwise. A negative time does not become zero.
  case quickTime = 4
  /// Up.
  case roundTowardPositiveInfinity = 5
  /// Down.
  case roundTowardNegativeInfinity = 6

  /// To the nearest unit. Halves are rounded away from zero.
  public static let `default`: CMTimeRoundingMethod = .roundHalfAwayFromZero

  /// Divides and rounds. Also returns whether the division had a remainder. The denominator is positive.
  func quotient(_ numerator: Int128, _ denominator: Int128, isFiner: Bool) -> (Int128, Bool) {
    let (down, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
    guard rest != 0 else { return (down, false) }
    let sign: Int128 = numerator < 0 ? -1 : 1
    let isAway: Bool
    switch self {
    case .roundHalfAwayFromZero:
      isAway = rest.magnitude >= denominator.magnitude - rest.magnitude
    case .roundTowardZero: isAway = false
    case .roundAwayFromZero: isAway = true
    case .quickTime: isAway = isFiner || (sign < 0 && down == 0)
    case .roundTowardPositiveInfinity: isAway = sign > 0
    case .roundTowardNegativeInfinity: isAway = sign < 0
    }
    return (isAway ? down + sign : down, true)
  }
}

/// Returns the time of `numerator / denominator` seconds in the units of a timescale. Halves the timescale while the
/// value is too large for 64 bits. Returns infinity if the number of seconds is too large, too.
///
/// `numerator` must be below 2^96, so that its product with a timescale fits 128 bits.
private func fraction(
  _ numerator: Int128, _ denominator: Int128, timescale: Int32, wasRounded: Bool, epoch: Int64
) -> CMTime {
  var scale: Int32 = timescale
  while true {
    let (units, isRounded) = CMTimeRoundingMethod.default.quotient(
      numerator * Int128(scale), denominator, isFiner: false)
    if let value = Int64(exactly: units) {
      let rounded: CMTimeFlags = isRounded || wasRounded ? .hasBeenRounded : []
      return CMTime(
        value: value, timescale: scale, flags: [.valid, rounded], epoch: epoch)
    }
    guard scale > 1 else { return numerator > 0 ? .positiveInfinity : .negativeInfinity }
    scale /= 2
  }
}

/// Returns the sum. The timescale is the least common multiple of both timescales, at most `kCMTimeMaxTimescale`.
///
/// The sum of two times of the same timeline has the timeline 0. If one of the times has the timeline 0, the sum has
/// the other timeline. The sum is invalid for two different timelines other than 0, and for +∞ and −∞.
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { sum(lhs, rhs, sign: 1) }

/// Returns the difference, by the rules of `CMTimeAdd`.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { sum(lhs, rhs, sign: -1) }

private func sum(_ left: CMTime, _ right: CMTime, sign: Int128) -> CMTime {
  guard left.isValid, right.isValid else { return .invalid }
  let other: CMTime = sign > 0 ? right : negatedInfinity(right)
  let isUp: Bool = left.isPositiveInfinity || other.isPositiveInfinity
  let isDown: Bool = left.isNegativeInfinity || other.isNegativeInfinity
  if isUp || isDown {
    return isUp && isDown ? .invalid : isUp ? .positiveInfinity : .negativeInfinity
  }
  if left.isIndefinite || right.isIndefinite { return .indefinite }
  guard left.timescale > 0, right.timescale > 0,
    left.epoch == right.epoch || left.epoch == 0 || right.epoch == 0
  else { return .invalid }
  let (first, second) = (Int128(left.timescale), Int128(right.timescale))
  let common: Int128 = first / commonDivisor(first, second) * second
  return fraction(
    Int128(left.value) * second + sign * Int128(right.value) * first, first * second,
    timescale: Int32(min(common, Int128(kCMTimeMaxTimescale))),
    wasRounded: left.hasBeenRounded || right.hasBeenRounded,
    epoch: left.epoch == right.epoch ? 0 : left.epoch + right.epoch)
}

private func negatedInfinity(_ time: CMTime) -> CMTime {
  if time.isPositiveInfinity { return .negativeInfinity }
  return time.isNegativeInfinity ? .positiveInfinity : time
}

/// Returns the product with an integer, with the same timescale.
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime {
  if let special = product(of: time, isNegative: multiplier < 0) { return special }
  return fraction(
    Int128(time.value) * Int128(multiplier), Int128(time.timescale), timescale: time.timescale,
    wasRounded: time.hasBeenRounded, epoch: time.epoch)
}

/// Returns the product with a number. Doubles the timescale until it is at least 65,536.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Float64) -> CMTime {
  guard !multiplier.isNaN else { return .invalid }
  if let special = product(of: time, isNegative: multiplier < 0) { return special }
  guard multiplier.isFinite else {
    if time.value == 0 { return .invalid }
    return (time.value > 0) == (multiplier > 0) ? .positiveInfinity : .negativeInfinity
  }
  var scale: Int32 = time.timescale
  while scale < 65_536 { scale *= 2 }
  // value · multiplier · scale / timescale, where scale / timescale is a power of two, and the multiplier is an integer of
  // 53 bits times a power of two. So the product needs only a shift.
  let doublings: Int = (scale / time.timescale).trailingZeroBitCount
  guard multiplier != 0, time.value != 0 else {
    return CMTime(value: 0, timescale: scale, flags: time.flags, epoch: time.epoch)
  }
  let mantissa: Int128 = Int128(Int64(multiplier.significand * 0x1p52))
  let sign: Int128 = multiplier < 0 ? -1 : 1
  let exact: Int128 = sign * mantissa * Int128(time.value)
  let exponent: Int = Int(multiplier.exponent) - 52 + doublings
  if exponent <= 0 {
    // Below 2^-120, the product is less than half a unit.
    guard exponent > -120 else {
      return CMTime(
        value: 0, timescale: scale, flags: time.flags.union(.hasBeenRounded), epoch: time.epoch)
    }
    let (units, isRounded) = CMTimeRoundingMethod.default.quotient(
      exact, Int128(1) << -exponent, isFiner: false)
    if let value = Int64(exactly: units) {
      return CMTime(
        value: value, timescale: scale,
        flags: isRounded ? time.flags.union(.hasBeenRounded) : time.flags,
        epoch: time.epoch)
    }
  } else if exponent < 63, exact.magnitude.leadingZeroBitCount > exponent + 64 {
    return CMTime(
      value: Int64(exact << exponent), timescale: scale, flags: time.flags, epoch: time.epoch)
  }
  // The product is too large for this timescale.
  let seconds: Double = time.seconds * multiplier
  var result = CMTime(seconds: seconds, preferredTimescale: scale / 2)
  if result.isNumeric {
    result.flags.insert(.hasBeenRounded)
    result.epoch = time.epoch
  }
  return result
}

/// Returns `time · multiplier / divisor`: exactly, if a timescale allows it.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
  guard divisor != 0 else { return .invalid }
  if let special = product(of: time, isNegative: (multiplier < 0) != (divisor < 0)) {
    return special
  }
  let numerator: Int128 = Int128(time.value) * Int128(multiplier) * (divisor < 0 ? -1 : 1)
  let parts = Int128(divisor.magnitude)
  let finer: Int128 = Int128(time.timescale) * (parts / max(1, commonDivisor(numerator, parts)))
  return fraction(
    numerator, Int128(time.timescale) * parts,
    timescale: Int32(min(finer, Int128(kCMTimeMaxTimescale))), wasRounded: time.hasBeenRounded,
    epoch: time.epoch)
}

/// Returns the product of a time that is infinite, indefinite or invalid. Returns nil for other times.
private func product(of time: CMTime, isNegative: Bool) -> CMTime? {
  if !time.isValid { return .invalid }
  if time.isIndefinite { return .indefinite }
  if !time.isNumeric { return isNegative ? negatedInfinity(time) : time }
  return time.timescale > 0 ? nil : .invalid
}

/// Returns the time with another timescale. Sets `hasBeenRounded` if the time changes. Infinite, indefinite and invalid
/// times do not change. A value that is too large for 64 bits becomes infinite.
public func CMTimeConvertScale(_ time: CMTime, timescale: Int32, method: CMTimeRoundingMethod)
  -> CMTime
{
  guard time.isNumeric else { return time }
  guard timescale > 0, time.timescale > 0 else { return .invalid }
  let (units, isRounded) = method.quotient(
    Int128(time.value) * Int128(timescale), Int128(time.timescale),
    isFiner: timescale > time.timescale)
  guard let value = Int64(exactly: units) else {
    return time.value > 0 ? .positiveInfinity : .negativeInfinity
  }
  return CMTime(
    value: value, timescale: timescale,
    flags: isRounded ? time.flags.union(.hasBeenRounded) : time.flags, epoch: time.epoch)
}

/// Returns −1, 0 or 1: whether the first time is before, equal to or after the second. The order is −∞, numbers by timeline
/// and time, indefinite, +∞, invalid.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 {
  guard time1.isNumeric, time2.isNumeric else {
    return (time1.order - time2.order).signum()
  }
  if time1.epoch != time2.epoch { return time1.epoch < time2.epoch ? -1 : 1 }
  let difference: Int128 =
    Int128(time1.value) * Int128(time2.timescale) - Int128(time2.value) * Int128(time1.timescale)
  return Int32(difference.signum())
}

/// Returns the earlier time.
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
  CMTimeCompare(time1, time2) <= 0 ? time1 : time2
}

/// Returns the later time.
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
  CMTimeCompare(time1, time2) >= 0 ? time1 : time2
}

/// Returns the time without its sign.
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime {
  if time.isNegativeInfinity { return .positiveInfinity }
  guard time.isNumeric, time.value < 0 else { return time }
  return CMTimeMultiply(time, multiplier: -1)
}

/// Makes the time `value / timescale` seconds.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime {
  CMTime(value: value, timescale: timescale)
}

/// Makes a time of a timeline.
public func CMTimeMakeWithEpoch(value: Int64, timescale: Int32, epoch: Int64) -> CMTime {
  CMTime(value: value, timescale: timescale, flags: .valid, epoch: epoch)
}

/// Makes a time of seconds. See `CMTime.init(seconds:preferredTimescale:)`.
public func CMTimeMakeWithSeconds(_ seconds: Float64, preferredTimescale: Int32) -> CMTime {
  CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// Returns the seconds; NaN for an invalid or indefinite time.
public func CMTimeGetSeconds(_ time: CMTime) -> Float64 { time.seconds }

/// Prints the time to standard output.
public func CMTimeShow(_ time: CMTime) { print(time) }

/// Returns the description of the time.
public func CMTimeCopyDescription(allocator: CFAllocator?, time: CMTime) -> CFString? {
  time.description
}
