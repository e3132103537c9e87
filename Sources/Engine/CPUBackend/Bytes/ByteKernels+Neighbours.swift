import CKernels
import Graph

/// A convolution to few channels that computes several adjacent pixels at once. The channels of these pixels fill a
/// vector together. All these pixels read one common window of the input. The kernel of each pixel is shifted to the
/// pixel's position in that window and padded with zeros.
///
///     1 pixel of 3 channels, kernel of 9 columns   →   4 pixels of 3 channels at once, kernel of 12 columns
///
/// In memory, four pixels of 3 channels are the same as one pixel of 12 channels.
struct ByteNeighbours {
  /// The number of pixels that are computed at once.
  let count: Int
  private let outputs: Int, step: Int

  /// Nil if computing several pixels at once would not be faster.
  init?(_ sizes: ck_quantized_convolution) {
    guard sizes.groups == 1, sizes.dilation_width == 1, sizes.output_channels <= 8,
      let (columns, step) = sizes.smallWindow
    else { return nil }
    let channels = Int(sizes.output_channels)
    func relativeCost(_ count: Int) -> Double {
      Double(columns + (count - 1) * step) / Double(count * columns)
    }
    let counts: [Int] = (2...16).filter {
      $0 * channels <= 16 && Int(sizes.output_width) % $0 == 0
    }
    guard let best = counts.min(by: { relativeCost($0) < relativeCost($1) }),
      relativeCost(best) < 0.8
    else { return nil }
    (count, outputs, self.step) = (best, channels, step)
  }

  /// Returns the sizes of the convolution for the joined pixels.
  func joined(_ sizes: ck_quantized_convolution) -> ck_quantized_convolution {
    var result = sizes
    result.output_channels *= Int64(count)
    result.output_width /= Int64(count)
    result.kernel_width += Int64((count - 1) * step)
    result.stride_width *= Int64(count)
    return result
  }

  /// Returns the weights for the joined pixels, each kernel at its position.
  func joined(weights: Constant) -> Constant {
    let (channels, rows, columns) = (weights.shape[-3], weights.shape[-2], weights.shape[-1])
    let wide: Int = columns + (count - 1) * step
    let rowCount: Int = channels * rows
    let shape: Shape = [count * outputs, channels, rows, wide]
    return Constant(shape, recipe: "\(count) neighbours by \(step)", of: [weights]) {
      [count, outputs, step] in
      let values: [Float] = try weights.floats()
      var result = [Float](repeating: 0, count: shape.count)
      for pixel in 0..<count {
        for row in 0..<outputs * rowCount {
          let target: Int = (pixel * outputs * rowCount + row) * wide + pixel * step
          for column in 0..<columns { result[target + column] = values[row * columns + column] }
        }
      }
      return result
    }
  }

  /// Takes a list with one number per channel. Returns one copy of the list per joined pixel, concatenated.
  func joined(channels: Constant) -> Constant {
    Constant([count * outputs], recipe: "\(count) neighbours", of: [channels]) { [count] in
      let values: [Float] = try channels.floats()
      return (0..<count).flatMap { _ in values }
    }
  }
}

extension ck_quantized_convolution {
  /// The width and the horizontal stride of the kernels. Nil if one of them is too large for joining pixels.
  fileprivate var smallWindow: (columns: Int, step: Int)? {
    guard kernel_width <= 64, stride_width <= 16, output_width > 1 else { return nil }
    return (Int(kernel_width), Int(stride_width))
  }
}
