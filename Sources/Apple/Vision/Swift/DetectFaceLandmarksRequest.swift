import CoreGraphics
import Foundation

/// A request that finds the eyes, the brows, the nose, the lips and the outline of faces. See ``VNDetectFaceLandmarksRequest``.
public struct DetectFaceLandmarksRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Apple's revision 3. Here, all revisions are equal.
    case revision3
  }

  /// The results.
  public typealias Result = [FaceObservation]

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// The faces to analyse. Nil means that the request finds faces itself.
  public var inputFaceObservations: [FaceObservation]?
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision3]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision3 }

  /// Analyses an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNDetectFaceLandmarksRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    request.inputFaceObservations = inputFaceObservations?.map { face in
      VNFaceObservation(
        boundingBox: face.boundingBox.cgRect, confidence: face.confidence,
        roll: CGFloat(face.roll.converted(to: .radians).value))
    }
    return try request.observations(in: image.image)
      .compactMap { $0 as? VNFaceObservation }.map(FaceObservation.init)
  }
}
