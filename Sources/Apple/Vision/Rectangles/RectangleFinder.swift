import CVision
import CoreGraphics
import Foundation
import Imaging

/// A quadrilateral in a picture.
struct FoundQuadrilateral {
  /// The upper left, upper right, lower right and lower left corner, in pixels with the origin at the top left.
  let corners: [CGPoint]
  /// How well the corners describe the outline of the region, 0 to 1.
  let fit: Float

  /// The area in pixels.
  var area: CGFloat { abs(Self.signedArea(corners)) }

  /// The area of a polygon. Positive if it is clockwise as seen.
  static func signedArea(_ points: [CGPoint]) -> CGFloat {
    points.indices.reduce(0) { sum, index in
      let (one, other) = (points[index], points[(index + 1) % points.count])
      return sum + one.x * other.y - other.x * one.y
    } / 2
  }
}

/// Finds quadrilaterals: outlines of light or dark regions that four lines describe well.
struct RectangleFinder {
  /// The least ratio of the shorter and the longer side.
  var leastAspectRatio: CGFloat = 0.5
  /// The largest ratio of the shorter and the longer side.
  var largestAspectRatio: CGFloat = 1
  /// The largest deviation of a corner from 90°, in degrees.
  var tolerance: CGFloat = 30
  /// The least length of the shorter side, as a fraction of the picture's shorter side.
  var leastSize: CGFloat = 0.2

  /// The longest side of the picture in which outlines are followed.
  private static let longestSide = 512
  /// The number of thresholds between dark and light.
  private static let levels = 12
  /// The largest distance between an outline and its lines, as a fraction of the outline's length.
  private static let tightness: Float = 0.02

  /// Finds quadrilaterals, the best first. Of those that nearly coincide, the best remains.
  func find(in picture: Picture) throws -> [FoundQuadrilateral] {
    let scale: CGFloat = min(
      1, CGFloat(Self.longestSide) / CGFloat(max(picture.width, picture.height)))
    let small: Picture
    do {
      small =
        scale == 1
        ? picture
        : try picture.scaled(
          toWidth: max(1, Int((CGFloat(picture.width) * scale).rounded())),
          height: max(1, Int((CGFloat(picture.height) * scale).rounded())))
    } catch let error as ImagingError {
      throw VNError(.invalidImage, error.message)
    }
    let luma: [UInt8] = try small.luma()
    let sorted: [UInt8] = luma.sorted()
    var found: [FoundQuadrilateral] = []
    // Thresholds divide the pixels into equal parts.
    let thresholds = Set(
      (1...Self.levels).map { sorted[sorted.count * $0 / (Self.levels + 1)] })
    for threshold in thresholds.sorted() where threshold > 0 {
      let binary: [UInt8] = luma.map { $0 >= threshold ? 1 : 0 }
      let borders = try FollowedBorders.borders(
        in: binary, width: small.width, height: small.height)
      for border in borders {
        if let quadrilateral = quadrilateral(border.points, in: small) {
          found.append(quadrilateral)
        }
      }
    }
    let across: CGFloat = CGFloat(picture.width) / CGFloat(small.width)
    let down: CGFloat = CGFloat(picture.height) / CGFloat(small.height)
    return Self.distinct(found).map { one in
      FoundQuadrilateral(
        corners: one.corners.map { CGPoint(x: $0.x * across, y: $0.y * down) }, fit: one.fit)
    }
  }

  /// Returns the quadrilateral around an outline. Nil if four lines do not describe the outline, or if the sides and
  /// corners are not as wanted.
  private func quadrilateral(_ pixels: [SIMD2<Int32>], in picture: Picture) -> FoundQuadrilateral? {
    let shorter = CGFloat(min(picture.width, picture.height))
    guard CGFloat(pixels.count) >= 2 * leastSize * shorter else { return nil }
    let points: [SIMD2<Float>] = pixels.map { SIMD2<Float>($0) + 0.5 }
    let corners: [CGPoint] = VNContour.simplified(points, Self.tightness * Float(points.count))
      .map { CGPoint(x: CGFloat($0.x), y: CGFloat($0.y)) }
    guard corners.count == 4 else { return nil }
    let area: CGFloat = FoundQuadrilateral.signedArea(corners)
    let outline: CGFloat = FoundQuadrilateral.signedArea(
      points.map { CGPoint(x: CGFloat($0.x), y: CGFloat($0.y)) })
    guard area != 0, outline != 0 else { return nil }
    for index in 0..<4 {
      let (before, at, after) = (
        corners[(index + 3) % 4], corners[index], corners[(index + 1) % 4]
      )
      let (one, other) = (
        CGPoint(x: before.x - at.x, y: before.y - at.y),
        CGPoint(x: after.x - at.x, y: after.y - at.y)
      )
      let cross: CGFloat = other.x * one.y - other.y * one.x
      // All corners turn the same way, and by about 90°.
      guard (cross > 0) == (area > 0) else { return nil }
      let angle: CGFloat = atan2(abs(cross), one.x * other.x + one.y * other.y) * 180 / .pi
      guard abs(angle - 90) <= tolerance else { return nil }
    }
    let ordered: [CGPoint] = Self.ordered(corners)
    func length(_ one: Int, _ other: Int) -> CGFloat {
      hypot(ordered[one].x - ordered[other].x, ordered[one].y - ordered[other].y)
    }
    let wide: CGFloat = (length(0, 1) + length(3, 2)) / 2
    let high: CGFloat = (length(0, 3) + length(1, 2)) / 2
    let ratio: CGFloat = min(wide, high) / max(wide, high)
    guard min(wide, high) >= leastSize * shorter, ratio >= leastAspectRatio,
      ratio <= largestAspectRatio
    else { return nil }
    // The picture's own frame is no find, even if some pixels at the edges are on the other side of the threshold.
    let margin: CGFloat = max(2, 0.03 * shorter)
    let isFrame: Bool = ordered.allSatisfy { corner in
      min(corner.x, CGFloat(picture.width) - corner.x) < margin
        && min(corner.y, CGFloat(picture.height) - corner.y) < margin
    }
    guard !isFrame else { return nil }
    let fit: CGFloat = min(abs(area), abs(outline)) / max(abs(area), abs(outline))
    return FoundQuadrilateral(corners: ordered, fit: Float(fit))
  }

  /// Returns corners in the order upper left, upper right, lower right, lower left.
  private static func ordered(_ corners: [CGPoint]) -> [CGPoint] {
    let clockwise: [CGPoint] =
      FoundQuadrilateral.signedArea(corners) > 0 ? corners : corners.reversed()
    let first: Int =
      clockwise.indices.min { one, other in
        clockwise[one].x + clockwise[one].y < clockwise[other].x + clockwise[other].y
      } ?? 0
    return (0..<4).map { clockwise[(first + $0) % 4] }
  }

  /// Removes quadrilaterals whose corners are near those of a better one.
  private static func distinct(_ all: [FoundQuadrilateral]) -> [FoundQuadrilateral] {
    // A small difference of the fit says less than the size.
    func rank(_ one: FoundQuadrilateral) -> (Int, CGFloat) { (Int(one.fit * 20), one.area) }
    var kept: [FoundQuadrilateral] = []
    for one in all.sorted(by: { rank($0) > rank($1) }) {
      let limit: CGFloat = 0.15 * one.area.squareRoot()
      let isKnown: Bool = kept.contains { other in
        zip(one.corners, other.corners).allSatisfy {
          hypot($0.x - $1.x, $0.y - $1.y) <= limit
        }
      }
      if !isKnown { kept.append(one) }
    }
    return kept
  }
}

extension Picture {
  /// Returns the luma of each pixel, row by row.
  func luma() throws -> [UInt8] {
    var luma = [UInt8](repeating: 0, count: width * height)
    try luma.withUnsafeMutableBytes { rows in
      guard let memory = rows.baseAddress else { return }
      // Safe: there are `height` rows of `width` bytes.
      try write(to: memory, bytesPerRow: width, layout: .grey8)
    }
    return luma
  }
}
