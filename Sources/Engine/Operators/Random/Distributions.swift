import Graph
import Glibc
import ModelFormat

/// The normal distribution.
public struct NormalDistribution: RandomDistribution {
  public static let name = "Normal"
  public static let summary = "normally distributed numbers"
  /// The middle.
  public let mean: Double
  /// The standard deviation.
  public let deviation: Double

  /// A distribution.
  public init(mean: Double, deviation: Double) {
    self.mean = mean
    self.deviation = deviation
  }

  public init(_ parameters: RandomParameters, _ decoder: LayerDecoder) throws {
    guard parameters.second >= 0 else {
      throw decoder.invalid("stdDev is \(parameters.second), expected 0 or more.")
    }
    self.init(mean: Double(parameters.first), deviation: Double(parameters.second))
  }

  /// Of 32 numbers the first 16 are cosines, the others sines of the same 16 angles.
  public func number(_ index: Int, of sequence: RandomSequence) -> Double {
    let place: Int = index / 32 * 32 + index % 16
    let radius: Double = (-2 * log(sequence.positiveUnit(place))).squareRoot()
    let angle: Double = 2 * Double.pi * sequence.unit(place + 16)
    return mean + deviation * radius * (index % 32 < 16 ? cos(angle) : sin(angle))
  }
}

/// The uniform distribution.
public struct UniformDistribution: RandomDistribution {
  public static let name = "Uniform"
  public static let summary = "evenly distributed numbers"
  /// The smallest number.
  public let minimum: Double
  /// The bound above all numbers.
  public let maximum: Double

  /// A distribution.
  public init(minimum: Double, maximum: Double) {
    self.minimum = minimum
    self.maximum = maximum
  }

  public init(_ parameters: RandomParameters, _ decoder: LayerDecoder) throws {
    guard parameters.first <= parameters.second else {
      throw decoder.invalid(
        "minVal is \(parameters.first) and maxVal \(parameters.second), expected no more than that."
      )
    }
    self.init(minimum: Double(parameters.first), maximum: Double(parameters.second))
  }

  public func number(_ index: Int, of sequence: RandomSequence) -> Double {
    minimum + (maximum - minimum) * sequence.unit(index)
  }
}

/// The Bernoulli distribution: 1 with a probability, else 0.
public struct BernoulliDistribution: RandomDistribution {
  public static let name = "Bernoulli"
  public static let summary = "ones with a probability, else zeros"
  /// The probability of 1.
  public let probability: Double

  /// A distribution.
  public init(probability: Double) { self.probability = probability }

  public init(_ parameters: RandomParameters, _ decoder: LayerDecoder) throws {
    guard (0...1).contains(parameters.first) else {
      throw decoder.invalid("prob is \(parameters.first), expected a number from 0 to 1.")
    }
    self.init(probability: Double(parameters.first))
  }

  public func number(_ index: Int, of sequence: RandomSequence) -> Double {
    sequence.unit(index) < probability ? 1 : 0
  }
}
