import Graph
import Glibc

/// The normal distribution.
public struct NormalDistribution: RandomDistribution {
  public static let name = "Normal"
  public static let summary = "normally distributed numbers"
  /// The mean.
  public let mean: Double
  /// The standard deviation.
  public let deviation: Double

  /// Creates a distribution.
  public init(mean: Double, deviation: Double) {
    self.mean = mean
    self.deviation = deviation
  }

  /// Computes a number by the Box–Muller transform. In each block of 32 numbers, the first 16 use the cosines of 16
  /// angles, and the last 16 use the sines of the same angles.
  public func number(_ index: Int, of sequence: RandomSequence) -> Double {
    let angleIndex: Int = index / 32 * 32 + index % 16
    let radius: Double = (-2 * log(sequence.positiveUnit(angleIndex))).squareRoot()
    let angle: Double = 2 * Double.pi * sequence.unit(angleIndex + 16)
    return mean + deviation * radius * (index % 32 < 16 ? cos(angle) : sin(angle))
  }
}

/// The uniform distribution.
public struct UniformDistribution: RandomDistribution {
  public static let name = "Uniform"
  public static let summary = "evenly distributed numbers"
  /// The inclusive lower bound of all numbers.
  public let minimum: Double
  /// The exclusive upper bound of all numbers.
  public let maximum: Double

  /// Creates a distribution.
  public init(minimum: Double, maximum: Double) {
    self.minimum = minimum
    self.maximum = maximum
  }

  public func number(_ index: Int, of sequence: RandomSequence) -> Double {
    minimum + (maximum - minimum) * sequence.unit(index)
  }
}

/// The Bernoulli distribution: 1 with the given ``probability``, otherwise 0.
public struct BernoulliDistribution: RandomDistribution {
  public static let name = "Bernoulli"
  public static let summary = "ones with a probability, else zeros"
  /// The probability of 1.
  public let probability: Double

  /// Creates a distribution.
  public init(probability: Double) { self.probability = probability }

  public func number(_ index: Int, of sequence: RandomSequence) -> Double {
    sequence.unit(index) < probability ? 1 : 0
  }
}
