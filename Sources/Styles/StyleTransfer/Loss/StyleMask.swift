import Imaging

/// The part of a picture that gets a style: one weight per pixel, 0 (no) … 1 (yes).
public struct StyleMask: Sendable, Equatable {
  /// The number of columns.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The weights, row by row.
  public let weights: [Float]

  /// Creates a mask. Clamps the weights to 0…1.
  public init(width: Int, height: Int, weights: [Float]) {
    precondition(width > 0 && height > 0 && weights.count == width * height)
    self.width = width
    self.height = height
    self.weights = weights.map { min(1, max(0, $0.isNaN ? 0 : $0)) }
  }

  /// Creates a mask from the luma of a picture: white becomes 1, black becomes 0.
  public init(_ picture: Picture) {
    var weights: [Float] = []
    weights.reserveCapacity(picture.width * picture.height)
    picture.withPixels { (pixels: UnsafeBufferPointer<UInt8>) in
      for index in stride(from: 0, to: pixels.count, by: 3) {
        weights.append(Luma.of(pixels, at: index) / 255)
      }
    }
    self.init(width: picture.width, height: picture.height, weights: weights)
  }

  /// The mask of the other part of the picture: `1 − weight` for each pixel.
  public var inverted: StyleMask {
    StyleMask(width: width, height: height, weights: weights.map { 1 - $0 })
  }

  /// Returns the union of two masks. Scales the other mask to the size of this one.
  func joined(with other: StyleMask) -> StyleMask {
    let fitted: StyleMask = other.scaled(toWidth: width, height: height)
    return StyleMask(
      width: width, height: height, weights: zip(weights, fitted.weights).map { max($0, $1) })
  }

  /// The share of the picture that the mask covers, 0…1: the mean of the weights.
  public var coverage: Double {
    weights.reduce(0) { $0 + Double($1) } / Double(weights.count)
  }

  /// Scales the mask to another size, for example that of a layer's features. Each new weight is the mean of the old
  /// weights in the area that it covers.
  public func scaled(toWidth newWidth: Int, height newHeight: Int) -> StyleMask {
    guard newWidth != width || newHeight != height else { return self }
    let across: [Span] = Self.spans(width, newWidth)
    let down: [Span] = Self.spans(height, newHeight)
    var result: [Float] = []
    result.reserveCapacity(newWidth * newHeight)
    for row in down {
      for column in across {
        var sum: Float = 0
        for (y, rowShare) in zip(row.first..., row.shares) {
          for (x, columnShare) in zip(column.first..., column.shares) {
            sum += rowShare * columnShare * weights[y * width + x]
          }
        }
        result.append(sum)
      }
    }
    return StyleMask(width: newWidth, height: newHeight, weights: result)
  }

  /// The old pixels that a new pixel covers along one axis, and the weight of each in the new pixel's mean.
  private struct Span {
    let first: Int
    let shares: [Float]
  }

  private static func spans(_ old: Int, _ new: Int) -> [Span] {
    let step: Double = Double(old) / Double(new)
    return (0..<new).map { (index: Int) -> Span in
      let (start, end) = (Double(index) * step, Double(index + 1) * step)
      let first: Int = min(old - 1, Int(start))
      let last: Int = min(old - 1, max(first, Int(end.rounded(.up)) - 1))
      let shares: [Float] = (first...last).map { (pixel: Int) -> Float in
        Float((min(end, Double(pixel + 1)) - max(start, Double(pixel))) / step)
      }
      return Span(first: first, shares: shares)
    }
  }
}
