import Foundation

/// The lengths that one side or axis may have.
struct AllowedLengths: Sendable, Equatable, CustomStringConvertible {
  let lowest: Int
  /// `Int.max` when there is no limit.
  let highest: Int

  init(lowest: Int, highest: Int) {
    self.lowest = max(0, lowest)
    self.highest = max(self.lowest, highest)
  }

  /// A range of the specification, where an upper bound below 0 means that there is none.
  init(lowerBound: UInt64, upperBound: Int64) {
    self.init(
      lowest: Int(clamping: lowerBound), highest: upperBound < 0 ? Int.max : Int(upperBound))
  }

  init(exactly length: Int) { self.init(lowest: length, highest: length) }

  func contains(_ length: Int) -> Bool { length >= lowest && length <= highest }

  /// As Foundation writes it: without a limit the length runs to the largest integer.
  var range: NSRange {
    let length: Int = highest == Int.max ? Int.max - lowest : highest - lowest + 1
    return NSRange(location: lowest, length: length)
  }

  var description: String {
    if lowest == highest { return "\(lowest)" }
    return highest == Int.max ? "\(lowest) or more" : "\(lowest) to \(highest)"
  }
}
