import Engine

/// The order of the examples in a training.
///
/// If the training shuffles the examples, each epoch has a new random order. A Fisher–Yates shuffle with random numbers
/// of SplitMix64 makes the order.
///
/// **Source:** Durstenfeld, “Algorithm 235: Random permutation”, CACM 7 (1964).
struct ExampleOrder {
  private let count: Int
  private var generator: SplitMix64

  /// Makes the orders of `count` examples. Equal seeds give equal orders.
  init(count: Int, seed: Int64) {
    self.count = count
    generator = SplitMix64(seed: UInt64(bitPattern: seed))
  }

  /// Returns the indices of the examples in each mini-batch of the next epoch. The last mini-batch may have fewer than
  /// `batchSize` examples.
  mutating func nextEpoch(shuffles: Bool, batchSize: Int) -> [ArraySlice<Int>] {
    var indices: [Int] = Array(0..<count)
    if shuffles {
      for last in stride(from: count - 1, to: 0, by: -1) {
        indices.swapAt(last, Int(generator.next() % UInt64(last + 1)))
      }
    }
    return stride(from: 0, to: count, by: batchSize).map { start in
      indices[start..<min(start + batchSize, count)]
    }
  }
}
