import CoreGraphics
import Foundation

/// A heat map of the parts of an image that stand out.
public struct SaliencyImageObservation: VisionObservation {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, always 1.
  public let confidence: Float
  /// The map: numbers from 0 to 1.
  public let heatMap: PixelBufferObservation
  /// The boxes around the parts, the most salient first.
  public let salientObjects: [RectangleObservation]

  /// Copies an observation of the older interface. Returns nil if its buffer has no memory.
  public init?(_ observation: VNSaliencyImageObservation) {
    guard let map = PixelBufferObservation(observation) else { return nil }
    (uuid, confidence, heatMap) = (observation.uuid, observation.confidence, map)
    salientObjects = (observation.salientObjects ?? []).map(RectangleObservation.init)
  }

  /// The number of boxes as text.
  public var description: String { "saliency with \(salientObjects.count) objects" }

  static func first(_ found: [VNObservation]) throws -> SaliencyImageObservation {
    guard
      let made = found.first.flatMap({ $0 as? VNSaliencyImageObservation })
        .flatMap(SaliencyImageObservation.init)
    else { throw VNError(.internalError, "The request made no map.") }
    return made
  }
}

/// A request for a heat map of the parts of an image that attract attention. See
/// ``VNGenerateAttentionBasedSaliencyImageRequest``.
public struct GenerateAttentionBasedSaliencyImageRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Apple's revision 2. Here, all revisions are equal.
    case revision2
  }

  /// The result.
  public typealias Result = SaliencyImageObservation

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision2]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision2 }

  /// Analyses an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNGenerateAttentionBasedSaliencyImageRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    return try .first(request.observations(in: image.image))
  }
}

/// A request for a heat map of the parts of an image that are probably objects. See
/// ``VNGenerateObjectnessBasedSaliencyImageRequest``.
public struct GenerateObjectnessBasedSaliencyImageRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Apple's revision 2. Here, all revisions are equal.
    case revision2
  }

  /// The result.
  public typealias Result = SaliencyImageObservation

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision2]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision2 }

  /// Analyses an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNGenerateObjectnessBasedSaliencyImageRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    return try .first(request.observations(in: image.image))
  }
}
