import CKernels
import Graph

/// Convolutions to few channels, computed for several neighbouring pixels at once: the pixels' channels fill a vector
/// together, each with its window moved to its place in the window of all of them, between zeros.
///
///     to 3 channels, 9 columns          to 12 channels, 12 columns, by four
///
/// In memory four pixels of 3 channels are one of 12.
struct ByteNeighbours {
  /// How many pixels are one.
  let count: Int
  private let outputs: Int, step: Int

  /// Nil where there is nothing to gain.
  init?(_ sizes: ck_byte_convolution) {
    guard sizes.groups == 1, sizes.dilation_width == 1, sizes.output_channels <= 8,
      let (columns, step) = sizes.smallWindow
    else { return nil }
    let channels = Int(sizes.output_channels)
    func products(_ count: Int) -> Double {
      Double(columns + (count - 1) * step) / Double(count * columns)
    }
    let possible: [Int] = (2...16).filter {
      $0 * channels <= 16 && Int(sizes.output_width) % $0 == 0
    }
    guard let best = possible.min(by: { products($0) < products($1) }), products(best) < 0.8
    else { return nil }
    (count, outputs, self.step) = (best, channels, step)
  }

  /// The sizes of the convolution to all pixels' channels.
  func joined(_ sizes: ck_byte_convolution) -> ck_byte_convolution {
    var result = sizes
    result.output_channels *= Int64(count)
    result.output_width /= Int64(count)
    result.kernel_width += Int64((count - 1) * step)
    result.stride_width *= Int64(count)
    return result
  }

  /// The weights of all pixels, each window at its place.
  func joined(weights: Constant) -> Constant {
    let (channels, rows, columns) = (weights.shape[-3], weights.shape[-2], weights.shape[-1])
    let wide: Int = columns + (count - 1) * step
    let lines: Int = channels * rows
    let shape: Shape = [count * outputs, channels, rows, wide]
    return Constant(shape, recipe: "\(count) neighbours by \(step)", of: [weights]) {
      [count, outputs, step] in
      let values: [Float] = try weights.floats()
      var result = [Float](repeating: 0, count: shape.count)
      for pixel in 0..<count {
        for line in 0..<outputs * lines {
          let target: Int = (pixel * outputs * lines + line) * wide + pixel * step
          for column in 0..<columns { result[target + column] = values[line * columns + column] }
        }
      }
      return result
    }
  }

  /// A number per channel, for all pixels.
  func joined(channels: Constant) -> Constant {
    Constant([count * outputs], recipe: "\(count) neighbours", of: [channels]) { [count] in
      let values: [Float] = try channels.floats()
      return (0..<count).flatMap { _ in values }
    }
  }
}

extension ck_byte_convolution {
  /// Columns and step of windows that are no wider than a handful of vectors.
  fileprivate var smallWindow: (columns: Int, step: Int)? {
    guard kernel_width <= 64, stride_width <= 16, output_width > 1 else { return nil }
    return (Int(kernel_width), Int(stride_width))
  }
}
