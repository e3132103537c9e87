import Graph

/// Statistics of blocks of an image's pixels. A convolution computes the block statistics of its result for an instance
/// norm that reads this result. From the block statistics the norm computes the statistics of the whole image.
///
/// - Shape: `[N, blocks, 2, C]`. On the axis of extent 2, element 0 is the mean of the channel in the block, and
///   element 1 is the sum of the squared differences from this mean. `N` is the product of the image's leading
///   dimensions.
/// - Blocks: consecutive pixels in row-major order. A block has 8,192 / channels pixels, at least 64; the last block
///   may have fewer.
///
/// **Source:** Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances"
/// (1979).
package enum BlockStatistics {
  /// Returns the number of pixels per block for images of this many channels.
  private static func size(channels: Int) -> Int { max(64, 8192 / max(channels, 1)) }

  /// Returns the shape of the block statistics of images of this shape.
  package static func shape(of images: Shape) throws -> Shape {
    let map = try FeatureMap(images)
    let size: Int = size(channels: map.channels)
    return [map.batch, (map.area + size - 1) / size, 2, map.channels]
  }

  /// Computes the block statistics of images, for reference implementations.
  package static func of(_ images: ReferenceTensor) throws -> ReferenceTensor {
    let map = try FeatureMap(images.shape)
    let size: Int = size(channels: map.channels)
    var result = ReferenceTensor(try shape(of: images.shape))
    var offset = 0
    for sample in 0..<map.batch {
      for first in stride(from: 0, to: map.area, by: size) {
        let count: Int = min(size, map.area - first)
        for channel in 0..<map.channels {
          let start: Int = map.offset(sample, channel, 0, 0) + first
          let (mean, variance) = Moments.of(images.values[start..<start + count])
          result.values[offset + channel] = mean
          result.values[offset + map.channels + channel] = variance * Double(count)
        }
        offset += 2 * map.channels
      }
    }
    return result
  }

  /// Computes the mean and the biased variance of one channel of one image from the statistics of its blocks.
  package static func moments(
    _ statistics: ReferenceTensor, of map: FeatureMap, sample: Int, channel: Int
  ) -> (mean: Double, variance: Double) {
    let size: Int = size(channels: map.channels)
    let blocks: Int = statistics.shape[1]
    var (mean, squares, total) = (0.0, 0.0, 0.0)
    for block in 0..<blocks {
      let offset: Int = (sample * blocks + block) * 2 * map.channels + channel
      let count = Double(min(size, map.area - block * size))
      let distance: Double = statistics.values[offset] - mean
      mean += distance * count / (total + count)
      squares +=
        statistics.values[offset + map.channels] + distance * distance * total * count
        / (total + count)
      total += count
    }
    return (mean, total > 0 ? squares / total : 0)
  }
}
