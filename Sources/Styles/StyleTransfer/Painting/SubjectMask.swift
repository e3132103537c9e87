import CoreML
import Imaging

/// A mask with soft edges for the part of a photo that stays unchanged while the rest is painted.
public struct SubjectMask: Sendable {
  /// The mask: 0 for the painting, 1 for the photo.
  public let mask: StyleMask
  /// How far the soft edge extends to either side, in pixels of the painting. Nil for a hundredth of the painting's
  /// longer side.
  public var softness: Double?

  /// Creates a subject mask from a mask that is 1 for the photo.
  public init(_ mask: StyleMask, softness: Double? = nil) {
    self.mask = mask
    self.softness = softness
  }

  /// Blends the photo over the painting, which must have the same size. Scales the mask to that size and blurs its
  /// edges.
  ///
  ///     result = mask · photo + (1 − mask) · painting
  public func composed(_ photo: Picture, over painting: Picture) throws -> Picture {
    precondition(photo.size == painting.size)
    let (width, height) = (painting.width, painting.height)
    let weights: [Float] = weights(for: painting.size)
    let result = try Picture(width: width, height: height) { pixels in
      photo.withPixels { (original: UnsafeBufferPointer<UInt8>) in
        painting.withPixels { (painted: UnsafeBufferPointer<UInt8>) in
          for (position, weight) in weights.enumerated() {
            for index in (position * 3)..<(position * 3 + 3) {
              let value: Float =
                weight * Float(original[index]) + (1 - weight) * Float(painted[index])
              pixels[index] = UInt8(min(255, max(0, value.rounded())))
            }
          }
        }
      }
    }
    return try result.withAlpha(of: painting)
  }

  /// Blends a photo of 16 bits over a painting of 16 bits and the same size.
  public func composed(_ photo: DeepPicture, over painting: DeepPicture) throws -> DeepPicture {
    precondition(photo.size == painting.size)
    let weights: [Float] = weights(for: painting.size)
    let result = try DeepPicture(width: painting.width, height: painting.height) { pixels in
      photo.withComponents { (original: UnsafeBufferPointer<UInt16>) in
        painting.withComponents { (painted: UnsafeBufferPointer<UInt16>) in
          for (position, weight) in weights.enumerated() {
            for index in (position * 3)..<(position * 3 + 3) {
              let value: Float =
                weight * Float(original[index]) + (1 - weight) * Float(painted[index])
              pixels[index] = UInt16(min(65535, max(0, value.rounded())))
            }
          }
        }
      }
    }
    return result.withAlpha(of: painting)
  }

  /// Returns the mask at the size of a painting, with soft edges.
  public func weights(for size: PictureSize) -> [Float] {
    let (width, height) = (size.width, size.height)
    // An enlarged mask has steps of several pixels, which are smoothed even without softness.
    let enlarged: Double = max(
      Double(width) / Double(mask.width), Double(height) / Double(mask.height), 1)
    let wanted: Double = softness ?? Double(max(width, height)) / 100
    let radius: Double = max(wanted, enlarged > 1 ? enlarged : 0)
    return mask.scaled(toWidth: width, height: height).blurred(radius: radius).weights
  }
}

extension StyleMask {
  /// Blurs the mask with three box filters, which approximate a Gaussian. Edges then extend by about `radius` pixels to
  /// either side. Pixels beyond the border take the value of the nearest pixel of the mask.
  ///
  /// **Source:** Wells, “Efficient synthesis of Gaussian filters by cascaded uniform filters” (1986).
  public func blurred(radius: Double) -> StyleMask {
    let reach = Int((radius / 3).rounded(.up))
    guard reach > 0 else { return self }
    var values: [Float] = weights
    for _ in 0..<3 {
      values = Self.means(values, lines: height, length: width, reach: reach)
      values = Self.means(values, lines: width, length: height, reach: reach)
    }
    return StyleMask(width: width, height: height, weights: values)
  }

  /// Applies a box filter along each line, and returns the result transposed: lines become columns.
  private static func means(_ values: [Float], lines: Int, length: Int, reach: Int) -> [Float] {
    var result = [Float](repeating: 0, count: values.count)
    let share: Double = 1 / Double(2 * reach + 1)
    for line in 0..<lines {
      func value(_ position: Int) -> Double {
        Double(values[line * length + min(length - 1, max(0, position))])
      }
      var sum: Double = (-reach...reach).reduce(0) { $0 + value($1) }
      for position in 0..<length {
        result[position * lines + line] = Float(sum * share)
        sum += value(position + reach + 1) - value(position - reach)
      }
    }
    return result
  }
}
