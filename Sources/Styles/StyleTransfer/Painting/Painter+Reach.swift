import Imaging
import NormStatistics

extension Painter {
  /// Measures how far the painting of a pixel depends on other pixels if the statistics of norms are held.
  ///
  /// Paints a picture of noise, and then its right half with the same statistics. Returns the distance from the cut, a
  /// multiple of 16 pixels, from which on both are equal. Nil if the network paints no picture of that size, or if pixels
  /// depend on others that are far away, as in networks that pool the complete picture.
  public func reach() throws -> Int? {
    let size = PictureSize(width: 320, height: 128)
    let half = PictureSize(width: size.width / 2, height: size.height)
    guard paintingSize(for: size) == size, paintingSize(for: half) == half else { return nil }
    // Bytes that look random and are the same in each run.
    var random: UInt32 = 1
    let noise = try Picture(width: size.width, height: size.height) { pixels in
      for index in pixels.indices {
        random = random &* 1_664_525 &+ 1_013_904_223
        pixels[index] = UInt8(random >> 24)
      }
    }
    let statistics = NormStatistics()
    let whole: [UInt8] = try paint(noise, statistics: statistics, rate: 1).picture.pixels
    let right: [UInt8] = try paint(
      noise.cropped(x: half.width, y: 0, width: half.width, height: half.height),
      statistics: statistics, rate: 0
    ).picture.pixels
    var first: Int = 0
    for column in 0..<half.width {
      var sum: Int = 0
      for row in 0..<half.height {
        for channel in 0..<3 {
          let one: UInt8 = whole[(row * size.width + half.width + column) * 3 + channel]
          let other: UInt8 = right[(row * half.width + column) * 3 + channel]
          sum += abs(Int(one) - Int(other))
        }
      }
      // Kernels round differently at other places of a picture.
      if sum > half.height * 3 { first = column + 1 }
    }
    let reach: Int = (first + 15) / 16 * 16
    return reach <= 96 ? reach : nil
  }
}
