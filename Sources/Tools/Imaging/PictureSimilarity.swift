import Foundation

/// How similar two pictures of the same size are.
public struct PictureSimilarity: Sendable, Codable {
  /// The peak signal-to-noise ratio in dB: `20 · log₁₀(255 / rms)`, where `rms` is the root mean square of the
  /// differences of all samples. Infinite for equal pictures.
  public let decibels: Double
  /// The structural similarity (SSIM) of the luma, −1 to 1. It is 1 for equal pictures.
  ///
  /// **Source:** Z. Wang et al., “Image quality assessment: from error visibility to structural similarity” (2004):
  /// Gaussian windows of 11 × 11 with a deviation of 1.5, K₁ = 0.01, K₂ = 0.03.
  public let structure: Double

  /// Compares two pictures. Ignores alpha.
  ///
  /// - Throws: ``ImagingError`` if the sizes differ.
  public init(of picture: Picture, to original: Picture) throws {
    guard picture.width == original.width, picture.height == original.height else {
      throw ImagingError(
        code: .invalidGeometry,
        message:
          "A picture of \(picture.width) × \(picture.height) cannot be compared with one of "
          + "\(original.width) × \(original.height); scale one of them first.")
    }
    let (left, right): (Picture, Picture) = (picture.withoutAlpha, original.withoutAlpha)
    var squares = 0.0
    var count = 0
    left.withPixels { first in
      right.withPixels { second in
        for (a, b) in zip(first, second) {
          let difference = Int(a) - Int(b)
          squares += Double(difference * difference)
          count += 1
        }
      }
    }
    decibels = squares == 0 ? .infinity : 10 * log10(255 * 255 * Double(count) / squares)
    structure = LumaPlane(left).structure(with: LumaPlane(right))
  }
}

/// The luma of each pixel of a picture, 0 to 255.
private struct LumaPlane {
  let width: Int
  let height: Int
  var values: [Float]

  init(width: Int, height: Int, values: [Float]) {
    (self.width, self.height, self.values) = (width, height, values)
  }

  init(_ picture: Picture) {
    (width, height) = (picture.width, picture.height)
    values = picture.withPixels { pixels in
      stride(from: 0, to: pixels.count - 2, by: 3).map { position in
        Luma.of(pixels, at: position)
      }
    }
  }

  /// Returns the mean of the structural similarity over all windows inside the picture. If a side of the picture has
  /// fewer than 11 pixels, the windows are smaller: their side is the largest odd number that fits.
  func structure(with other: LumaPlane) -> Double {
    let (c1, c2): (Float, Float) = (0.01 * 255 * 0.01 * 255, 0.03 * 255 * 0.03 * 255)
    let (a, b) = (blurred(), other.blurred())
    let (aa, bb, ab) = (
      times(self).blurred(), other.times(other).blurred(), times(other).blurred()
    )
    var sum = 0.0
    for position in a.values.indices {
      let (x, y): (Float, Float) = (a.values[position], b.values[position])
      let (vx, vy): (Float, Float) = (aa.values[position] - x * x, bb.values[position] - y * y)
      let covariance: Float = ab.values[position] - x * y
      sum += Double(
        (2 * x * y + c1) * (2 * covariance + c2) / ((x * x + y * y + c1) * (vx + vy + c2)))
    }
    return sum / Double(max(a.values.count, 1))
  }

  private func times(_ other: LumaPlane) -> LumaPlane {
    LumaPlane(width: width, height: height, values: zip(values, other.values).map { $0 * $1 })
  }

  /// Computes the Gaussian-weighted mean around each pixel whose window is inside the picture.
  private func blurred() -> LumaPlane {
    let radius: Int = min(5, (min(width, height) - 1) / 2)
    var weights: [Float] = (-radius...radius).map { exp(-Float($0 * $0) / (2 * 1.5 * 1.5)) }
    let total: Float = weights.reduce(0, +)
    weights = weights.map { $0 / total }
    let (columns, rows) = (width - 2 * radius, height - 2 * radius)
    var across = [Float](repeating: 0, count: columns * height)
    for row in 0..<height {
      for (shift, weight) in weights.enumerated() {
        for column in 0..<columns {
          across[row * columns + column] += weight * values[row * width + column + shift]
        }
      }
    }
    var result = [Float](repeating: 0, count: columns * rows)
    for row in 0..<rows {
      for (shift, weight) in weights.enumerated() {
        for column in 0..<columns {
          result[row * columns + column] += weight * across[(row + shift) * columns + column]
        }
      }
    }
    return LumaPlane(width: columns, height: rows, values: result)
  }
}
