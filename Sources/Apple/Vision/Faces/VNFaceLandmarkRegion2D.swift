import CoreGraphics
import Foundation

/// How the points of a region are joined. Raw values are Apple's.
public enum VNPointsClassification: Int, Sendable {
  /// The points are separate.
  case disconnected = 0
  /// The points are a line.
  case openPath = 1
  /// The points are an outline: the last point is joined to the first point.
  case closedPath = 2
}

/// A set of landmarks of a face.
open class VNFaceLandmarkRegion: NSObject {
  /// The number of points.
  public let pointCount: Int

  init(pointCount: Int) { self.pointCount = pointCount }
}

/// A set of landmarks of a face in the plane of the image.
open class VNFaceLandmarkRegion2D: VNFaceLandmarkRegion {
  /// The points, normalised to the face's bounding box, with the origin at the lower left.
  public let normalizedPoints: [CGPoint]

  /// How the points are joined.
  public let pointsClassification: VNPointsClassification

  private let boundingBox: CGRect

  /// - Parameters:
  ///   - points: Points, normalised to the image.
  ///   - boundingBox: The face's box, normalised to the image.
  init(_ points: [CGPoint], in boundingBox: CGRect, _ classification: VNPointsClassification) {
    normalizedPoints = points.map { point in
      CGPoint(
        x: (point.x - boundingBox.minX) / boundingBox.width,
        y: (point.y - boundingBox.minY) / boundingBox.height)
    }
    self.boundingBox = boundingBox
    pointsClassification = classification
    super.init(pointCount: points.count)
  }

  /// Returns the points in pixels of an image, with the origin at the lower left.
  open func pointsInImage(imageSize: CGSize) -> [CGPoint] {
    normalizedPoints.map { point in
      CGPoint(
        x: (boundingBox.minX + point.x * boundingBox.width) * imageSize.width,
        y: (boundingBox.minY + point.y * boundingBox.height) * imageSize.height)
    }
  }
}
