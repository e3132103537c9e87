import Imaging

/// The methods that preserve the photo's colours.
public enum ColorKeeping: String, Sendable, CaseIterable {
  /// The painting has the luma of the style and the colours of the photo.
  case luminance
  /// The painting that gives the style is first recoloured to the photo's colours. Then the photo is painted in the
  /// style of the recoloured painting.
  case match
}

extension Picture {
  /// Combines the luma of this picture with the chroma of another picture of the same size.
  ///
  /// Luma and chroma are those of BT.601 on gamma-encoded components.
  ///
  /// **Source:** Gatys et al., “Preserving Color in Neural Artistic Style Transfer”,
  /// arXiv:1606.05897, section 3.2.
  public func withColors(of other: Picture) throws -> Picture {
    guard other.width == width, other.height == height else {
      throw StyleTransferError(
        .input,
        "Colours of \(other.width) × \(other.height) pixels do not fit \(width) × \(height).")
    }
    return try Picture(width: width, height: height) { target in
      withPixels { (own: UnsafeBufferPointer<UInt8>) in
        other.withPixels { (theirs: UnsafeBufferPointer<UInt8>) in
          for index in stride(from: 0, to: own.count, by: 3) {
            // Chroma is the difference between a component and luma. So it is enough to add the difference of the lumas
            // to the other picture.
            let shift: Float = Luma.of(own, at: index) - Luma.of(theirs, at: index)
            for channel in index..<(index + 3) {
              let value: Float = (Float(theirs[channel]) + shift).rounded()
              target[channel] = UInt8(min(255, max(0, value)))
            }
          }
        }
      }
    }
  }

  /// Transforms the colours so that their mean and covariance become those of another picture's colours.
  ///
  ///     c′ = √Σ₂ · √Σ₁⁻¹ · (c − μ₁) + μ₂
  ///
  /// **Source:** Gatys et al., arXiv:1606.05897, section 3.1, the symmetric solution.
  public func matchingColors(of other: Picture) throws -> Picture {
    let (own, theirs) = (ColorStatistics(self), ColorStatistics(other))
    let matrix: Matrix3 =
      theirs.covariance.squareRoot(inverse: false)
      .times(own.covariance.squareRoot(inverse: true))
    return try Picture(width: width, height: height) { target in
      withPixels { (pixels: UnsafeBufferPointer<UInt8>) in
        for index in stride(from: 0, to: pixels.count, by: 3) {
          let color: [Double] = (0..<3).map { Double(pixels[index + $0]) - own.mean[$0] }
          for channel in 0..<3 {
            var value: Double = theirs.mean[channel]
            for source in 0..<3 { value += matrix[channel, source] * color[source] }
            target[index + channel] = UInt8(min(255, max(0, value.rounded())))
          }
        }
      }
    }
  }
}

/// The mean and the covariance of a picture's colours.
private struct ColorStatistics {
  var mean: [Double] = [0, 0, 0]
  var covariance = Matrix3()

  init(_ picture: Picture) {
    let count = Double(picture.width * picture.height)
    picture.withPixels { (pixels: UnsafeBufferPointer<UInt8>) in
      for index in 0..<pixels.count { mean[index % 3] += Double(pixels[index]) }
      for channel in 0..<3 { mean[channel] /= count }
      for index in stride(from: 0, to: pixels.count, by: 3) {
        for row in 0..<3 {
          let first: Double = Double(pixels[index + row]) - mean[row]
          for column in 0...row {
            covariance[row, column] += first * (Double(pixels[index + column]) - mean[column])
          }
        }
      }
    }
    for row in 0..<3 {
      for column in 0...row {
        covariance[row, column] /= count
        covariance[column, row] = covariance[row, column]
      }
      // The covariance of a grey picture is singular. A small number on the diagonal makes it invertible.
      covariance[row, row] += 1e-2
    }
  }
}

/// A 3 × 3 matrix.
struct Matrix3 {
  private var values = [Double](repeating: 0, count: 9)

  static let identity: Matrix3 = {
    var result = Matrix3()
    for index in 0..<3 { result[index, index] = 1 }
    return result
  }()

  subscript(row: Int, column: Int) -> Double {
    get { values[row * 3 + column] }
    set { values[row * 3 + column] = newValue }
  }

  func times(_ other: Matrix3) -> Matrix3 {
    var result = Matrix3()
    for row in 0..<3 {
      for column in 0..<3 {
        for index in 0..<3 { result[row, column] += self[row, index] * other[index, column] }
      }
    }
    return result
  }

  /// Computes the symmetric square root of a symmetric positive definite matrix, or the inverse of the root, by
  /// diagonalisation.
  ///
  /// **Source:** Jacobi's method; Golub and Van Loan, “Matrix Computations”, 4th edition, 8.5.
  func squareRoot(inverse: Bool) -> Matrix3 {
    var matrix: Matrix3 = self
    var axes: Matrix3 = .identity
    for _ in 0..<30 {
      for (p, q) in [(0, 1), (0, 2), (1, 2)] where abs(matrix[p, q]) > 1e-12 {
        let ratio: Double = (matrix[q, q] - matrix[p, p]) / (2 * matrix[p, q])
        let sign: Double = ratio < 0 ? -1 : 1
        let tangent: Double = sign / (abs(ratio) + (ratio * ratio + 1).squareRoot())
        let cosine: Double = 1 / (tangent * tangent + 1).squareRoot()
        let sine: Double = tangent * cosine
        var turn: Matrix3 = .identity
        (turn[p, p], turn[q, q]) = (cosine, cosine)
        (turn[p, q], turn[q, p]) = (sine, -sine)
        matrix = turn.transposed.times(matrix).times(turn)
        axes = axes.times(turn)
      }
    }
    var roots = Matrix3()
    for index in 0..<3 {
      let root: Double = max(matrix[index, index], 1e-12).squareRoot()
      roots[index, index] = inverse ? 1 / root : root
    }
    return axes.times(roots).times(axes.transposed)
  }

  private var transposed: Matrix3 {
    var result = Matrix3()
    for row in 0..<3 {
      for column in 0..<3 { result[row, column] = self[column, row] }
    }
    return result
  }
}
