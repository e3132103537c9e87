/// The mean of colours in OKLab, the spread of their lightness, and the covariance of their two colour axes.
struct OKLabStatistics: Sendable {
  /// The mean colour.
  private(set) var mean: (lightness: Double, a: Double, b: Double) = (0, 0, 0)
  /// The variance of the lightness.
  private(set) var lightnessVariance: Double = 0
  /// The covariance of the axes a and b.
  private(set) var covariance = SymmetricMatrix(first: 0, both: 0, second: 0)

  /// The standard deviation of the lightness.
  var lightnessDeviation: Double { lightnessVariance.squareRoot() }

  /// Creates statistics from their numbers.
  init(
    mean: (lightness: Double, a: Double, b: Double), lightnessVariance: Double,
    covariance: SymmetricMatrix
  ) {
    self.mean = mean
    self.lightnessVariance = lightnessVariance
    self.covariance = covariance
  }

  /// Measures colours.
  init(_ colors: [OKLab]) {
    precondition(!colors.isEmpty, "a picture has pixels")
    let count = Double(colors.count)
    // A sum of equal `Float` values is exact in `Double`, so a picture of one colour has the variance 0.
    var sum: (lightness: Double, a: Double, b: Double) = (0, 0, 0)
    for color in colors {
      sum.lightness += Double(color.lightness)
      sum.a += Double(color.a)
      sum.b += Double(color.b)
    }
    mean = (sum.lightness / count, sum.a / count, sum.b / count)
    for color in colors {
      add(
        (Double(color.lightness), Double(color.a), Double(color.b)), share: 1 / count)
    }
  }

  /// Computes the statistics of the union of several sets of colours with weights.
  init(mixing parts: [(statistics: OKLabStatistics, weight: Double)]) {
    let total: Double = parts.reduce(0) { $0 + $1.weight }
    for (part, weight) in parts {
      mean.lightness += weight / total * part.mean.lightness
      mean.a += weight / total * part.mean.a
      mean.b += weight / total * part.mean.b
    }
    for (part, weight) in parts {
      let share: Double = weight / total
      lightnessVariance += share * part.lightnessVariance
      covariance.first += share * part.covariance.first
      covariance.both += share * part.covariance.both
      covariance.second += share * part.covariance.second
      add(part.mean, share: share)
    }
  }

  /// Adds the squares of a colour's distances from the mean.
  private mutating func add(
    _ color: (lightness: Double, a: Double, b: Double), share: Double
  ) {
    let lightness: Double = color.lightness - mean.lightness
    let (a, b) = (color.a - mean.a, color.b - mean.b)
    lightnessVariance += share * lightness * lightness
    covariance.first += share * a * a
    covariance.both += share * a * b
    covariance.second += share * b * b
  }

  /// The statistics with all deviations raised above zero, so that a quotient by them is finite.
  var withLeastDeviations: OKLabStatistics {
    var result: OKLabStatistics = self
    result.lightnessVariance += 1e-6
    result.covariance.first += 1e-5
    result.covariance.second += 1e-5
    return result
  }
}

extension OKLabStatistics: Equatable {
  static func == (left: OKLabStatistics, right: OKLabStatistics) -> Bool {
    left.mean == right.mean && left.lightnessVariance == right.lightnessVariance
      && left.covariance == right.covariance
  }
}
