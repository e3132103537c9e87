import CoreGraphics
import Foundation
import Imaging

/// The part of a picture that a network gets as its input: a rotated rectangle, in pixels from the top left of the
/// picture. The rectangle may extend beyond the picture.
struct SampledRegion {
  /// The centre.
  var centre: CGPoint
  /// The width, along the rotated horizontal axis.
  var width: CGFloat
  /// The height, along the rotated vertical axis.
  var height: CGFloat
  /// The rotation in radians, clockwise.
  var rotation: CGFloat = 0

  /// The complete picture.
  static func whole(_ picture: Picture) -> SampledRegion {
    let (width, height) = (CGFloat(picture.width), CGFloat(picture.height))
    return SampledRegion(
      centre: CGPoint(x: width / 2, y: height / 2), width: width, height: height)
  }

  /// The smallest square around the complete picture with the same centre.
  static func square(around picture: Picture) -> SampledRegion {
    var region: SampledRegion = whole(picture)
    region.width = max(region.width, region.height)
    region.height = region.width
    return region
  }

  /// Returns the square with the same centre and rotation. Its side is this region's longer side times a factor.
  func squared(scale: CGFloat) -> SampledRegion {
    let side: CGFloat = max(width, height) * scale
    return SampledRegion(centre: centre, width: side, height: side, rotation: rotation)
  }

  /// Returns the region moved along its own axes.
  ///
  /// - Parameters:
  ///   - across: The distance along the horizontal axis, as a fraction of the width.
  ///   - down: The distance along the vertical axis, as a fraction of the height.
  func moved(across: CGFloat, down: CGFloat) -> SampledRegion {
    var moved: SampledRegion = self
    moved.centre = point(across + 0.5, down + 0.5)
    return moved
  }

  /// Converts a point of the region to a position in the picture. (0, 0) is the region's top left corner, and (1, 1) is
  /// its bottom right corner.
  func point(_ x: CGFloat, _ y: CGFloat) -> CGPoint {
    let (right, down) = ((x - 0.5) * width, (y - 0.5) * height)
    let (sine, cosine) = (sin(rotation), cos(rotation))
    return CGPoint(
      x: centre.x + right * cosine - down * sine, y: centre.y + right * sine + down * cosine)
  }

  /// Returns the affine transform from columns and rows of a network's input to positions in the picture: x = t₀ u + t₁ v
  /// + t₂, y = t₃ u + t₄ v + t₅. The corner of the region is the centre of pixel (0, 0), as in MediaPipe.
  func transform(columns: Int, rows: Int) -> [Double] {
    let (sine, cosine) = (sin(rotation), cos(rotation))
    let corner: CGPoint = point(0, 0)
    let (across, down) = (width / CGFloat(columns), height / CGFloat(rows))
    return [cosine * across, -sine * down, corner.x, sine * across, cosine * down, corner.y]
  }

  /// Returns the rotation, from −π to π, that turns the vector from `start` to `end` to the angle `target`. Angles are
  /// counter-clockwise from the horizontal axis.
  static func rotation(from start: CGPoint, to end: CGPoint, target: CGFloat) -> CGFloat {
    let angle: CGFloat = target - atan2(-(end.y - start.y), end.x - start.x)
    return angle - 2 * .pi * floor((angle + .pi) / (2 * .pi))
  }
}
