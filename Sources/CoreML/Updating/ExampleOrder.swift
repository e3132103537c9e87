/// The order in which a training goes through its examples.
///
/// With shuffling, each epoch has a new one: Fisher and Yates with the numbers of SplitMix64.
///
/// **Source:** Steele, Lea, Flood, “Fast Splittable Pseudorandom Number Generators”, OOPSLA 2014,
/// doi:10.1145/2660193.2660195; Durstenfeld, “Algorithm 235: Random permutation”, CACM 7 (1964).
struct ExampleOrder {
  private let count: Int
  private var state: UInt64

  /// Orders of so many examples; the same seed gives the same orders.
  init(count: Int, seed: Int64) {
    self.count = count
    state = UInt64(bitPattern: seed)
  }

  /// The mini-batches of the next epoch. The last one has what is left over.
  mutating func nextEpoch(shuffles: Bool, batchSize: Int) -> [ArraySlice<Int>] {
    var places: [Int] = Array(0..<count)
    if shuffles {
      for last in stride(from: count - 1, to: 0, by: -1) {
        places.swapAt(last, Int(next() % UInt64(last + 1)))
      }
    }
    return stride(from: 0, to: count, by: batchSize).map { start in
      places[start..<min(start + batchSize, count)]
    }
  }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed: UInt64 = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
