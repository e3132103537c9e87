import Foundation

/// How much two lists of numbers differ.
struct ValueDifference: Encodable {
  /// The largest absolute difference of two finite numbers with the same index.
  private(set) var largest: Double = 0
  /// ``largest`` divided by the largest magnitude in the first list.
  private(set) var relative: Double = 0
  /// The peak signal-to-noise ratio in dB. It is computed from the square of the first list's range, divided by the
  /// mean of the squared differences. If all numbers of the first list are equal, their magnitude replaces the range.
  /// Nil if no finite numbers differ.
  private(set) var decibels: Double?
  /// How many numbers are infinite or NaN only in the first list.
  private(set) var overflowsOfFirst = 0
  /// How many numbers are infinite or NaN only in the second list.
  private(set) var overflowsOfSecond = 0
  /// The largest finite magnitude in either list.
  private(set) var magnitude: Double = 0

  /// Compares lists of the same length.
  init(_ first: [Float], _ second: [Float]) {
    precondition(first.count == second.count, "\(first.count) numbers, but \(second.count)")
    var squares = 0.0
    var finite = 0
    var largestOfFirst = 0.0
    var (least, most) = (Double.infinity, -Double.infinity)
    for (left, right) in zip(first, second) {
      if left.isFinite { magnitude = max(magnitude, Double(abs(left))) }
      if right.isFinite { magnitude = max(magnitude, Double(abs(right))) }
      guard left.isFinite, right.isFinite else {
        if right.isFinite { overflowsOfFirst += 1 }
        if left.isFinite { overflowsOfSecond += 1 }
        continue
      }
      let (left, right) = (Double(left), Double(right))
      let difference: Double = abs(left - right)
      largest = max(largest, difference)
      largestOfFirst = max(largestOfFirst, abs(left))
      (least, most) = (min(least, left), max(most, left))
      squares += difference * difference
      finite += 1
    }
    relative = largest == 0 ? 0 : largest / max(largestOfFirst, .leastNormalMagnitude)
    if squares > 0, finite > 0 {
      let range: Double = most > least ? most - least : max(largestOfFirst, 1e-30)
      decibels = 10 * log10(range * range * Double(finite) / squares)
    }
  }

  /// Whether a number is infinite or NaN in only one of the lists.
  var overflows: Bool { overflowsOfFirst > 0 || overflowsOfSecond > 0 }

  /// Returns whether the lists differ. They differ if ``relative`` is more than `threshold`, or if a number is infinite
  /// or NaN in only one of the lists.
  func departs(by threshold: Double) -> Bool { overflows || relative > threshold }

  /// Describes the difference in words. `first` and `second` are the names of the lists.
  func words(_ first: String, _ second: String) -> String {
    var parts: [String] = [
      "largest difference \(largest.shortText) (\((relative * 100).shortText) %)",
      decibels.map { "PSNR \($0.text(decimals: 1)) dB" } ?? "no other difference",
    ]
    if largest == 0 { parts = [overflows ? "all finite numbers are equal" : "equal"] }
    if overflowsOfFirst > 0 { parts.append("\(overflowsOfFirst) not finite only in \(first)") }
    if overflowsOfSecond > 0 { parts.append("\(overflowsOfSecond) not finite only in \(second)") }
    return parts.joined(separator: ", ")
  }
}

extension Double {
  /// The number with three significant digits.
  var shortText: String { String(format: "%.3g", self) }
}
