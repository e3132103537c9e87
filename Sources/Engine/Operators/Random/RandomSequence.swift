/// The numbers that follow from a seed, or from the system for a negative one: SplitMix64, number by
/// number, so that any of them can be computed without those before.
///
/// **Source:** Steele, Lea, Flood, “Fast splittable pseudorandom number generators” (2014),
/// doi:10.1145/2660193.2660195.
public struct RandomSequence: Sendable {
  /// Where the sequence starts.
  package let seed: UInt64

  /// A sequence.
  public init(seed: Int64) {
    var system = SystemRandomNumberGenerator()
    self.seed = seed < 0 ? system.next() : UInt64(seed)
  }

  /// 64 bits.
  package func bits(_ index: Int) -> UInt64 {
    var bits: UInt64 = seed &+ UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A number in 0 ..< 1 of 24 bits, which `Float` holds exactly.
  public func unit(_ index: Int) -> Double { Double(bits(index) >> 40) * 0x1p-24 }

  /// A number in 0 … 1 that is never 0, of 32 bits.
  package func positiveUnit(_ index: Int) -> Double { (Double(bits(index) >> 32) + 0.5) * 0x1p-32 }
}
