import CoreGraphics
import Foundation

/// A request that finds projected rectangles. See ``VNDetectRectanglesRequest``.
public struct DetectRectanglesRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// The only revision.
    case revision1
  }

  /// The results.
  public typealias Result = [RectangleObservation]

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// The least ratio of the shorter and the longer side.
  public var minimumAspectRatio: Float = 0.5
  /// The largest ratio of the shorter and the longer side.
  public var maximumAspectRatio: Float = 1
  /// The largest deviation of a corner from 90°.
  public var quadratureToleranceDegrees: Float = 30
  /// The least length of the shorter side, as a fraction of the image's shorter side.
  public var minimumSize: Float = 0.2
  /// The least confidence.
  public var minimumConfidence: Float = 0
  /// The largest number of results. 0 for any.
  public var maximumObservations: Int = 1
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision1]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision1 }

  /// Finds rectangles in an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNDetectRectanglesRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    request.minimumAspectRatio = minimumAspectRatio
    request.maximumAspectRatio = maximumAspectRatio
    request.quadratureTolerance = quadratureToleranceDegrees
    request.minimumSize = minimumSize
    request.minimumConfidence = minimumConfidence
    request.maximumObservations = maximumObservations
    return try request.observations(in: image.image)
      .compactMap { $0 as? VNRectangleObservation }.map(RectangleObservation.init)
  }
}
