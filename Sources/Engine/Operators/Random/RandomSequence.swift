import Tensors

/// A sequence of random numbers. A seed determines all numbers of the sequence. The generator SplitMix64 computes each
/// number directly from the seed and the number's index.
public struct RandomSequence: Sendable {
  /// The seed.
  package let seed: UInt64

  /// Creates the sequence for a seed. If the seed is negative, the operating system's generator chooses a new seed
  /// instead.
  public init(seed: Int64) {
    var system = SystemRandomNumberGenerator()
    self.seed = seed < 0 ? system.next() : UInt64(seed)
  }

  /// Returns the 64 random bits at this index of the sequence.
  package func bits(_ index: Int) -> UInt64 {
    SplitMix64.bits(index, seed: seed)
  }

  /// Returns the number at this index as a multiple of 2⁻²⁴ in 0 ..< 1. `Float` represents this number exactly.
  public func unit(_ index: Int) -> Double { Double(bits(index) >> 40) * 0x1p-24 }

  /// Returns the number at this index as one of 2³² values between 0 and 1. The result is never 0 or 1.
  package func positiveUnit(_ index: Int) -> Double { (Double(bits(index) >> 32) + 0.5) * 0x1p-32 }
}
