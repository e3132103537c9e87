import Engine

/// The order in which an epoch visits elements, such as photos or styles. It visits every element once.
struct EpochOrder {
  private let count: Int
  private let start: Int
  private let stride: Int

  /// Draws an order.
  ///
  /// - Parameters:
  ///   - count: The number of elements, at least 1.
  ///   - round: The number of the epoch. Each epoch has its own order.
  init(count: Int, round: Int, seed: UInt64) {
    self.count = count
    var generator = SplitMix64(counting: UInt64(round), seed: ~seed)
    start = Int(generator.next() % UInt64(count))
    var stride: Int = 1 + Int(generator.next() % UInt64(count))
    // A stride that is coprime to the number of elements visits every element once.
    while Self.greatestCommonDivisor(stride, count) != 1 { stride += 1 }
    self.stride = stride
  }

  /// Returns the element that the epoch visits at an offset.
  func position(of offset: Int) -> Int { (start + offset % count * stride) % count }

  private static func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : greatestCommonDivisor(other, one % other)
  }
}
