import Foundation
import Imaging
import StyleTransfer

/// A painting, and the photo at the size of the painting. With both, the studio changes colours and strength without
/// painting again.
struct PaintedPicture: Sendable {
  /// The output of the network. For a style of the gallery, the colours of the output were then changed to resemble the
  /// colours of the style's painting.
  let painting: Picture
  /// The photo at the painting's size, without alpha.
  let photo: Picture
  /// The size at which the network painted. It differs from the painting's size if the network has a fixed size.
  let paintedSize: PictureSize

  /// The size in memory, in bytes.
  var bytes: Int { painting.estimatedBytes + photo.estimatedBytes }

  /// Applies the photo's colours to the painting if `colors` asks for it, then mixes the painting with the photo.
  ///
  /// - Parameter strength: The weight of the painting, 0 (only the photo) to 1. Colour components are interpolated
  ///   linearly as they are stored (gamma-encoded sRGB).
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
