import CoreGraphics
import Foundation
import Imaging

/// The only revision of ``VNDetectRectanglesRequest``.
public let VNDetectRectanglesRequestRevision1: Int = 1

/// The ratio of the shorter and the longer side, 0 to 1.
public typealias VNAspectRatio = Float

/// An angle in degrees.
public typealias VNDegrees = Float

/// A request that finds projected rectangles, such as cards, signs and screens. Results are
/// ``VNRectangleObservation``s, the best first.
///
/// Outlines of light and dark regions are followed, and those that four lines describe well are returned. The confidence
/// says how well they do. Apple's request uses an unpublished method.
open class VNDetectRectanglesRequest: VNImageBasedRequest {
  /// The least ratio of the shorter and the longer side.
  public var minimumAspectRatio: VNAspectRatio = 0.5
  /// The largest ratio of the shorter and the longer side.
  public var maximumAspectRatio: VNAspectRatio = 1
  /// The largest deviation of a corner from 90°.
  public var quadratureTolerance: VNDegrees = 30
  /// The least length of the shorter side, as a fraction of the image's shorter side.
  public var minimumSize: Float = 0.2
  /// The least confidence.
  public var minimumConfidence: VNConfidence = 0
  /// The largest number of results. 0 for any.
  public var maximumObservations: Int = 1

  /// The results of the last run; nil before the first run and after an error.
  public var results: [VNRectangleObservation]? {
    found?.compactMap { $0 as? VNRectangleObservation }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let finder = RectangleFinder(
      leastAspectRatio: CGFloat(minimumAspectRatio),
      largestAspectRatio: CGFloat(maximumAspectRatio),
      tolerance: CGFloat(quadratureTolerance), leastSize: CGFloat(minimumSize))
    let picture: Picture = try image.upright(self)
    let found: [VNRectangleObservation] = try finder.find(in: picture)
      .filter { $0.fit >= minimumConfidence }.map { $0.observation(in: picture) }
    return maximumObservations > 0 ? Array(found.prefix(maximumObservations)) : found
  }
}

/// The only revision of ``VNDetectDocumentSegmentationRequest``.
public let VNDetectDocumentSegmentationRequestRevision1: Int = 1

/// A request that finds a document, such as a sheet of paper on a table. The result is one ``VNRectangleObservation`` at
/// most.
///
/// It is the largest quadrilateral that ``VNDetectRectanglesRequest`` finds with loose limits. Apple's request uses a
/// network.
open class VNDetectDocumentSegmentationRequest: VNImageBasedRequest {
  /// The results of the last run; nil before the first run and after an error.
  public var results: [VNRectangleObservation]? {
    found?.compactMap { $0 as? VNRectangleObservation }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let finder = RectangleFinder(
      leastAspectRatio: 0.2, largestAspectRatio: 1, tolerance: 45, leastSize: 0.2)
    let picture: Picture = try image.upright(self)
    let found: [FoundQuadrilateral] = try finder.find(in: picture).filter { $0.fit >= 0.8 }
    return found.max { $0.area < $1.area }.map { [$0.observation(in: picture)] } ?? []
  }
}

extension FoundQuadrilateral {
  /// Returns the observation with the corners normalised to the picture.
  func observation(in picture: Picture) -> VNRectangleObservation {
    let outline = Quadrilateral(corners, in: PictureFrame(picture))
    return VNRectangleObservation(
      topLeft: outline.topLeft, topRight: outline.topRight, bottomLeft: outline.bottomLeft,
      bottomRight: outline.bottomRight, confidence: fit)
  }
}
