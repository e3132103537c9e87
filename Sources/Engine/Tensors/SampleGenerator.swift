/// The generator behind samples, training and noise: SplitMix64, the same numbers on every machine.
/// **Source:** Steele, Lea, Flood, “Fast splittable pseudorandom number generators” (2014).
public struct SampleGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator that starts from the seed.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits: UInt64 = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A number drawn evenly from the range.
  public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    let unit: Double = Double(next() >> 11) * 0x1p-53
    return range.lowerBound + unit * (range.upperBound - range.lowerBound)
  }
}
