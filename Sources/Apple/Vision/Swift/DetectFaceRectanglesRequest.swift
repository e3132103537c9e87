import Foundation

/// A request that finds faces. See ``VNDetectFaceRectanglesRequest``.
public struct DetectFaceRectanglesRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Apple's revision 3. Here, all revisions are equal.
    case revision3
  }

  /// The results.
  public typealias Result = [FaceObservation]

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision3]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision3 }

  /// Analyses an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNDetectFaceRectanglesRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    return try request.observations(in: image.image)
      .compactMap { $0 as? VNFaceObservation }.map(FaceObservation.init)
  }
}
