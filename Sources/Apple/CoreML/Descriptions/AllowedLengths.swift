import Foundation

/// The allowed lengths of an image's side or an array's axis.
struct AllowedLengths: Sendable, Equatable, CustomStringConvertible {
  /// The smallest allowed length.
  let lowest: Int
  /// The largest allowed length; `Int.max` if there is no limit.
  let highest: Int

  init(lowest: Int, highest: Int) {
    self.lowest = max(0, lowest)
    self.highest = max(self.lowest, highest)
  }

  /// Makes the lengths from a range in the model specification. A negative upper bound means no limit.
  init(lowerBound: UInt64, upperBound: Int64) {
    self.init(
      lowest: Int(clamping: lowerBound), highest: upperBound < 0 ? Int.max : Int(upperBound))
  }

  init(exactly length: Int) { self.init(lowest: length, highest: length) }

  func contains(_ length: Int) -> Bool { length >= lowest && length <= highest }

  /// The lengths as a Foundation range. If `highest` means no limit, the range extends to the largest integer.
  var range: NSRange {
    let length: Int = highest == Int.max ? Int.max - lowest : highest - lowest + 1
    return NSRange(location: lowest, length: length)
  }

  var description: String {
    if lowest == highest { return "\(lowest)" }
    return highest == Int.max ? "\(lowest) or more" : "\(lowest) to \(highest)"
  }
}
