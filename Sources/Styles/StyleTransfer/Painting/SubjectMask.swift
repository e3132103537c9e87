import CoreML
import Imaging

/// The part of a photo that stays as it is when the rest is painted, with soft edges.
public struct SubjectMask: Sendable {
  /// Where the photo stays: 0 (painted) … 1 (the photo).
  public let mask: StyleMask
  /// How far an edge reaches to either side, in pixels of the painting; nil for a hundredth of its
  /// longer side.
  public var softness: Double?

  /// A mask: white where the photo stays.
  public init(_ mask: StyleMask, softness: Double? = nil) {
    self.mask = mask
    self.softness = softness
  }

  /// Puts the photo over the painting where the mask says so. Both are of one size; the mask is brought
  /// to it, and its edges are blurred.
  ///
  ///     result = mask · photo + (1 − mask) · painting
  public func composed(_ photo: Picture, over painting: Picture) throws -> Picture {
    precondition(photo.size == painting.size)
    let (width, height) = (painting.width, painting.height)
    // Steps of a mask that is enlarged are smoothed in any case.
    let enlarged: Double = max(
      Double(width) / Double(mask.width), Double(height) / Double(mask.height), 1)
    let wanted: Double = softness ?? Double(max(width, height)) / 100
    let radius: Double = max(wanted, enlarged > 1 ? enlarged : 0)
    let weights: [Float] = mask.scaled(toWidth: width, height: height)
      .blurred(radius: radius).weights
    let result = try Picture(width: width, height: height) { pixels in
      photo.withPixels { (kept: UnsafeBufferPointer<UInt8>) in
        painting.withPixels { (painted: UnsafeBufferPointer<UInt8>) in
          for (place, weight) in weights.enumerated() {
            for index in (place * 3)..<(place * 3 + 3) {
              let value: Float = weight * Float(kept[index]) + (1 - weight) * Float(painted[index])
              pixels[index] = UInt8(min(255, max(0, value.rounded())))
            }
          }
        }
      }
    }
    return try result.withAlpha(of: painting)
  }
}

extension StyleMask {
  /// The mask with soft edges: three means over squares, close to a bell curve whose edges reach some
  /// `radius` pixels to either side. What lies beyond the border counts as what is at it.
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

  /// The mean of each value's neighbours along its line; lines become columns.
  private static func means(_ values: [Float], lines: Int, length: Int, reach: Int) -> [Float] {
    var result = [Float](repeating: 0, count: values.count)
    let share: Double = 1 / Double(2 * reach + 1)
    for line in 0..<lines {
      func value(_ place: Int) -> Double {
        Double(values[line * length + min(length - 1, max(0, place))])
      }
      var sum: Double = (-reach...reach).reduce(0) { $0 + value($1) }
      for place in 0..<length {
        result[place * lines + line] = Float(sum * share)
        sum += value(place + reach + 1) - value(place - reach)
      }
    }
    return result
  }
}
