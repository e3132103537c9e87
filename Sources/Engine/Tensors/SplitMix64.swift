/// The pseudorandom generator SplitMix64. It gives the same numbers on every machine.
///
/// **Source:** Steele, Lea, Flood, “Fast splittable pseudorandom number generators” (2014),
/// doi:10.1145/2660193.2660195.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  /// The increment of the state for each number: 2⁶⁴ divided by the golden ratio.
  private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  private var state: UInt64

  /// Creates a generator that starts from the seed.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mixed(state)
  }

  /// Draws a number from the uniform distribution over the range.
  public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    let unit: Double = Double(next() >> 11) * 0x1p-53
    return range.lowerBound + unit * (range.upperBound - range.lowerBound)
  }

  /// Returns number `index`, counted from 0, of the sequence that starts from the seed, without computing the numbers
  /// before it.
  public static func bits(_ index: Int, seed: UInt64) -> UInt64 {
    mixed(seed &+ UInt64(index + 1) &* increment)
  }

  private static func mixed(_ state: UInt64) -> UInt64 {
    var bits: UInt64 = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
