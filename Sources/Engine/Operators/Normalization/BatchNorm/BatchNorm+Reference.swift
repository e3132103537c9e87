import Graph

extension BatchNormOperator {
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input: ReferenceTensor = inputs[0]
    let map = try FeatureMap(input.shape)
    let (gammas, betas) = (inputs[1].values, inputs[2].values)
    var result: ReferenceTensor = input
    func normalize(_ samples: Range<Int>, _ channel: Int, mean: Double, variance: Double) {
      let deviation: Double = (variance + Double(epsilon)).squareRoot()
      for sample in samples {
        let start: Int = map.offset(sample, channel, 0, 0)
        for position in start..<start + map.area {
          let unit: Double = (input.values[position] - mean) / deviation
          result.values[position] = gammas[channel] * unit + betas[channel]
        }
      }
    }
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
      for channel in 0..<channels {
        normalize(
          0..<map.batch, channel, mean: means[channel], variance: variances[channel])
      }
    case .instance:
      for sample in 0..<map.batch {
        for channel in 0..<channels {
          let (mean, variance) =
            statisticsInput.map {
              BlockStatistics.moments(inputs[$0], of: map, sample: sample, channel: channel)
            } ?? moments(sample..<sample + 1, channel)
          normalize(sample..<sample + 1, channel, mean: mean, variance: variance)
        }
      }
    case .batch:
      for channel in 0..<channels {
        let (mean, variance) = moments(0..<map.batch, channel)
        normalize(0..<map.batch, channel, mean: mean, variance: variance)
      }
    }
    if let residual, let residualInput {
      let added = inputs[residualInput]
      result.shape.forEachIndex { index, position in
        result.values[position] += added[residual.sourceIndex(of: index)]
      }
    }
    if let activation {
      return [activation.reference(result)]
    }
    return [result]
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
