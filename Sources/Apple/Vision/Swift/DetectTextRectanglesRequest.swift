import CoreGraphics
import Foundation

/// A line of text that was found.
public struct TextObservation: VisionObservation, QuadrilateralProviding {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The mean probability of text inside, 0 to 1.
  public let confidence: Float
  /// The box around the line, normalised to the region of interest.
  public let boundingBox: NormalizedRect
  /// The upper left corner.
  public let topLeft: NormalizedPoint
  /// The upper right corner.
  public let topRight: NormalizedPoint
  /// The lower left corner.
  public let bottomLeft: NormalizedPoint
  /// The lower right corner.
  public let bottomRight: NormalizedPoint
  /// The boxes of the characters. Nil if they are not wanted, or if the line cannot be read.
  public let characterBoxes: [RectangleObservation]?

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNTextObservation) {
    let rectangle = RectangleObservation(observation)
    (uuid, confidence, boundingBox) = (rectangle.uuid, rectangle.confidence, rectangle.boundingBox)
    (topLeft, topRight) = (rectangle.topLeft, rectangle.topRight)
    (bottomLeft, bottomRight) = (rectangle.bottomLeft, rectangle.bottomRight)
    characterBoxes = observation.characterBoxes?.map(RectangleObservation.init)
  }

  /// The box and the confidence as text.
  public var description: String { "text in \(boundingBox.cgRect), confidence \(confidence)" }
}

/// A request that finds lines of text without reading them. See ``VNDetectTextRectanglesRequest``.
public struct DetectTextRectanglesRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// The only revision.
    case revision1
  }

  /// The results.
  public typealias Result = [TextObservation]

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// Whether the boxes of characters are wanted. See ``VNDetectTextRectanglesRequest/reportCharacterBoxes``.
  public var reportCharacterBoxes: Bool = false
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision1]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision1 }

  /// Finds text in an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNDetectTextRectanglesRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    request.reportCharacterBoxes = reportCharacterBoxes
    return try request.observations(in: image.image)
      .compactMap { $0 as? VNTextObservation }.map(TextObservation.init)
  }
}
