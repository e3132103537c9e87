import Foundation

/// A request that finds hands and their joints. See ``VNDetectHumanHandPoseRequest``.
public struct DetectHumanHandPoseRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Apple's revision 1.
    case revision1
  }

  /// The results.
  public typealias Result = [HumanHandPoseObservation]

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// The largest number of hands to find.
  public var maximumHandCount: Int = 2
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision1]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision1 }

  /// Analyses an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNDetectHumanHandPoseRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    request.maximumHandCount = maximumHandCount
    return try request.observations(in: image.image)
      .compactMap { $0 as? VNHumanHandPoseObservation }.map(HumanHandPoseObservation.init)
  }
}
