import Imaging

/// Where in a picture a style goes: one weight a pixel, 0 (not here) … 1 (here).
public struct StyleMask: Sendable, Equatable {
  /// Columns.
  public let width: Int
  /// Rows.
  public let height: Int
  /// The weights, row by row.
  public let weights: [Float]

  /// A mask; the weights are clamped to 0…1.
  public init(width: Int, height: Int, weights: [Float]) {
    precondition(width > 0 && height > 0 && weights.count == width * height)
    self.width = width
    self.height = height
    self.weights = weights.map { min(1, max(0, $0.isNaN ? 0 : $0)) }
  }

  /// The luma of a picture: white is here, black is not.
  public init(_ picture: Picture) {
    var weights: [Float] = []
    weights.reserveCapacity(picture.width * picture.height)
    picture.withPixels { (pixels: UnsafeBufferPointer<UInt8>) in
      for index in stride(from: 0, to: pixels.count, by: 3) {
        let red: Float = 0.299 * Float(pixels[index])
        let green: Float = 0.587 * Float(pixels[index + 1])
        let blue: Float = 0.114 * Float(pixels[index + 2])
        weights.append((red + green + blue) / 255)
      }
    }
    self.init(width: picture.width, height: picture.height, weights: weights)
  }

  /// What the mask leaves over.
  public var inverted: StyleMask {
    StyleMask(width: width, height: height, weights: weights.map { 1 - $0 })
  }

  /// Here where either of two masks says so; the other is brought to this one's size.
  func joined(with other: StyleMask) -> StyleMask {
    let fitted: StyleMask = other.scaled(toWidth: width, height: height)
    return StyleMask(
      width: width, height: height, weights: zip(weights, fitted.weights).map { max($0, $1) })
  }

  /// The part of the picture that the mask covers, 0…1.
  public var coverage: Double {
    weights.reduce(0) { $0 + Double($1) } / Double(weights.count)
  }

  /// The mask at another size: each weight the mean of the pixels that it covers, so that a mask fits
  /// the features of every layer.
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

  /// The old pixels that a new one covers, and the share that each has in it.
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
