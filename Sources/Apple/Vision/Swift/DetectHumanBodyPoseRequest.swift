import Foundation

/// A request that finds bodies and their joints. See ``VNDetectHumanBodyPoseRequest``.
public struct DetectHumanBodyPoseRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Apple's revision 1.
    case revision1
  }

  /// The results.
  public typealias Result = [HumanBodyPoseObservation]

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision1]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision1 }

  /// Analyses an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNDetectHumanBodyPoseRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    return try request.observations(in: image.image)
      .compactMap { $0 as? VNHumanBodyPoseObservation }.map(HumanBodyPoseObservation.init)
  }
}
