import Foundation

/// How far two lists of numbers are from each other.
struct ValueDifference: Encodable {
  /// The largest difference of two numbers of one place, of those that are finite.
  private(set) var largest: Double = 0
  /// That, as a share of the largest magnitude of the first list.
  private(set) var relative: Double = 0
  /// How far the mean square of the differences lies below the square of the first list's range, in decibels; nil
  /// where nothing differs.
  private(set) var decibels: Double?
  /// How many numbers of the first list are infinite or NaN where the second's are finite.
  private(set) var overflowsOfFirst = 0
  /// How many numbers of the second list are infinite or NaN where the first's are finite.
  private(set) var overflowsOfSecond = 0
  /// The largest finite magnitude of both.
  private(set) var magnitude: Double = 0

  /// Compares lists of the same length.
  init(_ first: [Float], _ second: [Float]) {
    precondition(first.count == second.count, "\(first.count) numbers beside \(second.count)")
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

  /// Whether one of the lists has numbers that no type holds where the other's are finite.
  var overflows: Bool { overflowsOfFirst > 0 || overflowsOfSecond > 0 }

  /// Whether the lists are further from each other than a share of the first one's largest magnitude.
  func departs(by threshold: Double) -> Bool { overflows || relative > threshold }

  /// The difference in words.
  func words(_ first: String, _ second: String) -> String {
    var parts: [String] = [
      "largest difference \(largest.shortText) (\((relative * 100).shortText) %)",
      decibels.map { "PSNR \($0.text(decimals: 1)) dB" } ?? "no other difference",
    ]
    if largest == 0 { parts = [overflows ? "all that is finite is equal" : "equal"] }
    if overflowsOfFirst > 0 { parts.append("\(overflowsOfFirst) not finite in \(first) alone") }
    if overflowsOfSecond > 0 { parts.append("\(overflowsOfSecond) not finite in \(second) alone") }
    return parts.joined(separator: ", ")
  }
}

extension Double {
  /// The number with three digits that count.
  var shortText: String { String(format: "%.3g", self) }
}
