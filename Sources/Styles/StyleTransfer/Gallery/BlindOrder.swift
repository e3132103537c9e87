import Engine

/// Shuffles the pictures on a sheet, so that a viewer compares them without knowing who made which.
public enum BlindOrder {
  /// Shuffles items. The same seed gives the same order for the same number of items on every machine.
  ///
  /// **Source:** Durstenfeld, “Algorithm 235: Random permutation” (1964), doi:10.1145/364520.364540.
  public static func shuffled<Item>(_ items: [Item], seed: UInt64) -> [Item] {
    var generator = SplitMix64(seed: seed)
    var result: [Item] = items
    for last in stride(from: result.count - 1, to: 0, by: -1) {
      // The remainder makes small indices more likely, but by less than one part in 2⁵⁰.
      result.swapAt(last, Int(generator.next() % UInt64(last + 1)))
    }
    return result
  }
}
