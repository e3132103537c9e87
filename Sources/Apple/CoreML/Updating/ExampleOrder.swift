import Engine

/// The order in which a training goes through its examples.
///
/// With shuffling, each epoch has a new one: Fisher and Yates with the numbers of SplitMix64.
///
/// **Source:** Durstenfeld, “Algorithm 235: Random permutation”, CACM 7 (1964).
struct ExampleOrder {
  private let count: Int
  private var generator: SampleGenerator

  /// Orders of so many examples; the same seed gives the same orders.
  init(count: Int, seed: Int64) {
    self.count = count
    generator = SampleGenerator(seed: UInt64(bitPattern: seed))
  }

  /// The mini-batches of the next epoch. The last one has what is left over.
  mutating func nextEpoch(shuffles: Bool, batchSize: Int) -> [ArraySlice<Int>] {
    var places: [Int] = Array(0..<count)
    if shuffles {
      for last in stride(from: count - 1, to: 0, by: -1) {
        places.swapAt(last, Int(generator.next() % UInt64(last + 1)))
      }
    }
    return stride(from: 0, to: count, by: batchSize).map { start in
      places[start..<min(start + batchSize, count)]
    }
  }
}
