import Foundation

/// The contours of an image. Contours at even levels surround regions, and contours at odd levels surround holes.
open class VNContoursObservation: VNObservation {
  /// The contours that no other contour surrounds.
  public let topLevelContours: [VNContour]
  private let all: [VNContour]

  init(_ contours: [VNContour]) {
    topLevelContours = contours
    all = contours.flatMap(Self.family)
    super.init(confidence: 1)
  }

  private static func family(_ contour: VNContour) -> [VNContour] {
    [contour] + contour.childContours.flatMap(family)
  }

  /// The number of all contours.
  public var contourCount: Int { all.count }

  /// The number of contours that no other contour surrounds.
  public var topLevelContourCount: Int { topLevelContours.count }

  /// Returns a contour. Every contour comes before the contours inside of it.
  ///
  /// - Throws: ``VNError`` when there is no such contour.
  open func contour(at contourIndex: Int) throws -> VNContour {
    guard all.indices.contains(contourIndex) else {
      throw VNError(
        .outOfBoundsError, "There is no contour \(contourIndex); the observation has \(all.count).")
    }
    return all[contourIndex]
  }

  /// Returns the contour at a position in the tree of contours.
  ///
  /// - Throws: ``VNError`` when there is no such contour.
  open func contour(at indexPath: IndexPath) throws -> VNContour {
    guard let contour = all.first(where: { $0.indexPath == indexPath }) else {
      throw VNError(.outOfBoundsError, "There is no contour at \(Array(indexPath)).")
    }
    return contour
  }
}
