import Foundation
import Imaging

/// A colour in OKLab, a space in which distances are approximately proportional to perceived differences.
///
/// **Source:** Björn Ottosson, “A perceptual color space for image processing” (2020),
/// https://bottosson.github.io/posts/oklab/.
public struct OKLab: Sendable, Equatable {
  /// The lightness, from 0 (black) to 1 (white).
  public var lightness: Float
  /// The axis from green (below 0) to red (above 0), within about ±0.3 for colours of sRGB.
  public var a: Float
  /// The axis from blue (below 0) to yellow (above 0), within about ±0.3 for colours of sRGB.
  public var b: Float

  /// Creates a colour from its coordinates.
  public init(lightness: Float, a: Float, b: Float) {
    self.lightness = lightness
    self.a = a
    self.b = b
  }

  /// Converts a colour of sRGB, with gamma-encoded samples of 0…255.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    let (red, green, blue) = (
      Self.linear[Int(red)], Self.linear[Int(green)], Self.linear[Int(blue)]
    )
    let long: Float = cbrtf(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    let medium: Float = cbrtf(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    let short: Float = cbrtf(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
  }

  /// The linear intensity of each gamma-encoded sample, by IEC 61966-2-1.
  private static let linear: [Float] = (0...255).map { (sample: Int) -> Float in
    let encoded: Double = Double(sample) / 255
    return Float(encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4))
  }

  /// Returns the colour of every pixel, row by row.
  public static func colors(of picture: Picture) -> [OKLab] {
    picture.withPixels { (pixels: UnsafeBufferPointer<UInt8>) -> [OKLab] in
      (0..<picture.width * picture.height).map { (pixel: Int) -> OKLab in
        OKLab(
          red: pixels[pixel * 3], green: pixels[pixel * 3 + 1], blue: pixels[pixel * 3 + 2])
      }
    }
  }
}
