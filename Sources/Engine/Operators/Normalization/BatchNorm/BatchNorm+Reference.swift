import Graph

extension BatchNormOperator {
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input: ReferenceTensor = inputs[0]
    let map = try FeatureMap(input.shape)
    func moments(_ samples: Range<Int>, _ channel: Int) -> (mean: Double, variance: Double) {
      let values: [Double] = samples.flatMap { (sample: Int) -> ArraySlice<Double> in
        let start: Int = map.offset(sample, channel, 0, 0)
        return input.values[start..<start + map.area]
      }
      return Moments.of(values)
    }
    switch statistics {
    case .given:
      let (means, variances) = (inputs[3].values, inputs[4].values)
      return [try normalized(inputs) { (means[$1], variances[$1]) }]
    case .instance:
      return [try normalized(inputs) { moments($0..<$0 + 1, $1) }]
    case .batch:
      let all: [(mean: Double, variance: Double)] = (0..<channels).map {
        moments(0..<map.batch, $0)
      }
      return [try normalized(inputs) { all[$1] }]
    }
  }

  /// Computes the norm in `Double`, with a mean and a variance for each sample and channel.
  package func normalized(
    _ inputs: [ReferenceTensor],
    moments: (_ sample: Int, _ channel: Int) -> (mean: Double, variance: Double)
  ) throws -> ReferenceTensor {
    let (gammas, betas) = (inputs[1].values, inputs[2].values)
    var result: ReferenceTensor = inputs[0]
    let map = try FeatureMap(result.shape)
    for sample in 0..<map.batch {
      for channel in 0..<channels {
        let (mean, variance) = moments(sample, channel)
        let deviation: Double = (variance + Double(epsilon)).squareRoot()
        let start: Int = map.offset(sample, channel, 0, 0)
        for position in start..<start + map.area {
          let unit: Double = (result.values[position] - mean) / deviation
          result.values[position] = gammas[channel] * unit + betas[channel]
        }
      }
    }
    return result
  }
}

/// Mean and biased variance in `Double`, for the reference implementations of normalisations.
package enum Moments {
  /// Computes the mean and the biased variance (divided by the number of values). For an empty collection, both are 0.
  package static func of(_ values: some Collection<Double>) -> (mean: Double, variance: Double) {
    guard !values.isEmpty else { return (0, 0) }
    let count = Double(values.count)
    let mean: Double = values.reduce(0, +) / count
    var squares: Double = 0
    for value in values { squares += (value - mean) * (value - mean) }
    return (mean, squares / count)
  }
}
