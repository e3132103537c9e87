import CoreGraphics
import Foundation

/// The contours of an image.
public struct ContoursObservation: VisionObservation {
  /// A contour of a region, or of a hole in a region.
  public struct Contour: Hashable, Sendable, Codable {
    /// The position of the contour in the tree of contours: the index at each level, from the top.
    public let indexPath: IndexPath
    /// The contours directly inside this contour.
    public let childContours: [Contour]
    /// The points, normalised to the region of interest.
    public let normalizedPoints: [NormalizedPoint]
    /// The aspect ratio, width / height, of the image to which the points are normalised.
    public let aspectRatio: Float

    init(_ contour: VNContour) {
      indexPath = contour.indexPath
      childContours = contour.childContours.map(Contour.init)
      normalizedPoints = contour.normalizedPoints.map {
        NormalizedPoint(x: CGFloat($0.x), y: CGFloat($0.y))
      }
      aspectRatio = contour.aspectRatio
    }

    /// The number of points.
    public var pointCount: Int { normalizedPoints.count }
  }

  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, always 1.
  public let confidence: Float
  /// The number of all contours.
  public let contourCount: Int
  /// The contours that no other contour surrounds.
  public let topLevelContours: [Contour]

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNContoursObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    contourCount = observation.contourCount
    topLevelContours = observation.topLevelContours.map(Contour.init)
  }

  /// The number of contours that no other contour surrounds.
  public var topLevelContourCount: Int { topLevelContours.count }

  /// The number of contours as text.
  public var description: String { "\(contourCount) contours" }
}

/// A request that finds the contours of regions. See ``VNDetectContoursRequest``.
public struct DetectContoursRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// The only revision.
    case revision1
  }

  /// The contours.
  public typealias Result = ContoursObservation

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// Has no effect. See ``VNDetectContoursRequest/contrastAdjustment``.
  public var contrastAdjustment: Float = 2
  /// The luma that divides dark from light, 0 to 1. Nil means that Otsu's method chooses it.
  public var contrastPivot: Float? = 0.5
  /// Whether to find dark regions on a light background. If false, finds light regions on a dark background.
  public var detectsDarkOnLight: Bool = true
  /// The maximum length of the image's longer side, in pixels. The request scales larger images down.
  public var maximumImageDimension: Int? = 512
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision1]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision1 }

  /// Finds contours in an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNDetectContoursRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    request.contrastPivot = contrastPivot.map { NSNumber(value: $0) }
    request.detectsDarkOnLight = detectsDarkOnLight
    request.maximumImageDimension = maximumImageDimension ?? .max
    let found: [VNObservation] = try request.observations(in: image.image)
    guard let contours = found.first as? VNContoursObservation else {
      throw VNError(.internalError, "The request found no contours.")
    }
    return ContoursObservation(contours)
  }
}
