import Foundation
import Imaging
import StyleTransfer

/// A painting with the photo that it was painted of, at one size: colours and strength are chosen after
/// painting, which takes no time.
struct PaintedPicture: Sendable {
  /// What the network painted.
  let painting: Picture
  /// The photo at the painting's size, without alpha.
  let photo: Picture
  /// The size at which the network painted.
  let paintedSize: PictureSize

  /// The bytes that it takes in memory.
  var bytes: Int { painting.estimatedBytes + photo.estimatedBytes }

  /// The painting with the photo's colours, or mixed with the photo, or both.
  ///
  /// - Parameter strength: 0 is the photo, 1 the painting; in between, each component is mixed as it
  ///   is stored (gamma-encoded sRGB).
  func finished(strength: Double, colors: StylizeOrder.Colors) throws -> Picture {
    var picture = painting
    if colors == .photo { picture = try picture.withoutAlpha.withColors(of: photo) }
    if strength < 1 {
      let (much, little) = (Int((strength * 256).rounded()), 256 - Int((strength * 256).rounded()))
      let painted = picture
      picture = try Picture(width: painted.width, height: painted.height) { target in
        painted.withPixels { above in
          photo.withPixels { below in
            for index in 0..<min(target.count, above.count, below.count) {
              target[index] = UInt8(
                truncatingIfNeeded: (Int(above[index]) * much + Int(below[index]) * little + 128)
                  >> 8)
            }
          }
        }
      }
    }
    return try picture.withAlpha(of: painting)
  }
}
