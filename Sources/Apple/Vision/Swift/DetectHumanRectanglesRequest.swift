import CoreGraphics
import Foundation

/// A person that a request found.
public struct HumanObservation: VisionObservation, BoundingBoxProviding {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, from 0 to 1.
  public let confidence: Float
  /// The box, normalised to the region of interest.
  public let boundingBox: NormalizedRect
  /// Whether the box surrounds only the upper body.
  public let isUpperBodyOnly: Bool

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNHumanObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    boundingBox = NormalizedRect(normalizedRect: observation.boundingBox)
    isUpperBodyOnly = observation.upperBodyOnly
  }

  /// The box and the confidence as text.
  public var description: String { "person in \(boundingBox.cgRect), confidence \(confidence)" }
}

/// A request that finds persons. See ``VNDetectHumanRectanglesRequest``.
public struct DetectHumanRectanglesRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Apple's revision 2. Here, all revisions are equal.
    case revision2
  }

  /// The results.
  public typealias Result = [HumanObservation]

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// Whether boxes surround only the upper body.
  public var upperBodyOnly: Bool = true
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision2]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision2 }

  /// Finds persons in an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNDetectHumanRectanglesRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    request.upperBodyOnly = upperBodyOnly
    return try request.observations(in: image.image)
      .compactMap { $0 as? VNHumanObservation }.map(HumanObservation.init)
  }
}
