import CoreGraphics
import Foundation

/// A contour of a region, or of a hole in a region.
open class VNContour: NSObject {
  /// The position of the contour in the tree of contours: the index at each level, from the top.
  public let indexPath: IndexPath
  /// The contours directly inside this contour.
  public let childContours: [VNContour]
  /// The points, normalised to the region of interest, with the origin at the lower left.
  public let normalizedPoints: [SIMD2<Float>]
  /// The aspect ratio, width / height, of the image to which the points are normalised.
  public let aspectRatio: Float

  init(
    _ points: [SIMD2<Float>], at indexPath: IndexPath, children: [VNContour], aspectRatio: Float
  ) {
    normalizedPoints = points
    self.indexPath = indexPath
    childContours = children
    self.aspectRatio = aspectRatio
  }

  /// The number of contours directly inside this contour.
  public var childContourCount: Int { childContours.count }

  /// The number of points.
  public var pointCount: Int { normalizedPoints.count }

  /// Returns a contour directly inside this contour.
  ///
  /// - Throws: ``VNError`` when there is no such contour.
  open func childContour(at childContourIndex: Int) throws -> VNContour {
    guard childContours.indices.contains(childContourIndex) else {
      throw VNError(
        .outOfBoundsError,
        "There is no child contour \(childContourIndex); the contour has \(childContours.count).")
    }
    return childContours[childContourIndex]
  }

  /// Returns a contour with fewer points. Each dropped point is at most `epsilon` away from the new contour, in
  /// normalised coordinates.
  ///
  /// **Source:** Ramer, “An iterative procedure for the polygonal approximation of plane curves”, 1972; Douglas and
  /// Peucker, 1973.
  open func polygonApproximation(epsilon: Float) throws -> VNContour {
    guard epsilon >= 0 else {
      throw VNError(.invalidArgument, "epsilon is \(epsilon), expected 0 or more.")
    }
    return VNContour(
      Self.simplified(normalizedPoints, epsilon), at: indexPath, children: childContours,
      aspectRatio: aspectRatio)
  }

  /// Drops points of a closed line.
  static func simplified(_ points: [SIMD2<Float>], _ epsilon: Float) -> [SIMD2<Float>] {
    guard points.count > 2 else { return points }
    // The point farthest from the first point divides the closed line into two lines.
    func distance(_ index: Int) -> Float {
      let step: SIMD2<Float> = points[index] - points[0]
      return (step * step).sum()
    }
    let middle: Int = points.indices.max { distance($0) < distance($1) } ?? 0
    let closed: [SIMD2<Float>] = points + [points[0]]
    var isKept = [Bool](repeating: false, count: closed.count)
    (isKept[0], isKept[middle]) = (true, true)
    var open: [(Int, Int)] = [(0, middle), (middle, points.count)]
    while let (start, end) = open.popLast() {
      guard end > start + 1 else { continue }
      let line: SIMD2<Float> = closed[end] - closed[start]
      let length: Float = (line * line).sum().squareRoot()
      var (farthest, most): (Int, Float) = (start, epsilon)
      for index in start + 1..<end {
        let step: SIMD2<Float> = closed[index] - closed[start]
        let distance: Float =
          length > 0
          ? abs(line.x * step.y - line.y * step.x) / length : (step * step).sum().squareRoot()
        if distance > most { (farthest, most) = (index, distance) }
      }
      guard farthest > start else { continue }
      isKept[farthest] = true
      open += [(start, farthest), (farthest, end)]
    }
    return points.indices.filter { isKept[$0] }.map { points[$0] }
  }
}
