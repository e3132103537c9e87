import Graph

/// Statistics of the blocks of a picture's pixels, from which those of the picture follow: what a convolution leaves
/// for the instance norm that reads its results.
///
/// - Shape: `[N, blocks, 2, C]`: in each block the mean of each channel, and then the sum of the squared distances
///   from it. Leading dimensions of the picture are batch.
/// - Blocks: pixels, row by row, so many that all channels together have 8,192 values, and 64 at least.
///
/// **Source:** Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances"
/// (1979).
package enum BlockStatistics {
  /// The pixels of a block.
  private static func size(channels: Int) -> Int { max(64, 8192 / max(channels, 1)) }

  /// The shape of the statistics of pictures.
  package static func shape(of pictures: Shape) throws -> Shape {
    let map = try FeatureMap(pictures)
    let size: Int = size(channels: map.channels)
    return [map.batch, (map.area + size - 1) / size, 2, map.channels]
  }

  /// The statistics of pictures.
  static func of(_ pictures: ReferenceTensor) throws -> ReferenceTensor {
    let map = try FeatureMap(pictures.shape)
    let size: Int = size(channels: map.channels)
    var result = ReferenceTensor(try shape(of: pictures.shape))
    var place = 0
    for sample in 0..<map.batch {
      for first in stride(from: 0, to: map.area, by: size) {
        let count: Int = min(size, map.area - first)
        for channel in 0..<map.channels {
          let start: Int = map.offset(sample, channel, 0, 0) + first
          let (mean, variance) = Moments.of(pictures.values[start..<start + count])
          result.values[place + channel] = mean
          result.values[place + map.channels + channel] = variance * Double(count)
        }
        place += 2 * map.channels
      }
    }
    return result
  }

  /// Mean and variance of one channel of one picture.
  static func moments(
    _ statistics: ReferenceTensor, of map: FeatureMap, sample: Int, channel: Int
  ) -> (mean: Double, variance: Double) {
    let size: Int = size(channels: map.channels)
    let blocks: Int = statistics.shape[1]
    var (mean, squares, total) = (0.0, 0.0, 0.0)
    for block in 0..<blocks {
      let place: Int = (sample * blocks + block) * 2 * map.channels + channel
      let count = Double(min(size, map.area - block * size))
      let distance: Double = statistics.values[place] - mean
      mean += distance * count / (total + count)
      squares +=
        statistics.values[place + map.channels] + distance * distance * total * count
        / (total + count)
      total += count
    }
    return (mean, total > 0 ? squares / total : 0)
  }
}
