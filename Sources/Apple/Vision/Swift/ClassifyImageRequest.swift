import Foundation

/// A request that names what a picture shows, without a model of the caller's; see
/// ``VNClassifyImageRequest``.
public struct ClassifyImageRequest: ImageProcessingRequest {
  /// The versions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable {
    /// The second of Apple's, the only one here.
    case revision2
  }

  /// The classes, the surest first.
  public typealias Result = [ClassificationObservation]

  /// The part to look at.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// The version of the algorithm.
  public let revision: Revision
  /// The versions that there are.
  public static let supportedRevisions: [Revision] = [.revision2]

  /// A request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision2 }

  /// The names of the classes; empty where SqueezeNet is not fetched.
  public var supportedIdentifiers: [String] {
    (try? VNClassifyImageRequest().supportedIdentifiers()) ?? []
  }

  /// What is found in a picture.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNClassifyImageRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    return try request.observations(in: image.image)
      .compactMap { $0 as? VNClassificationObservation }.map(ClassificationObservation.init)
  }
}

/// A class that a picture was given, with its probability as the confidence.
public struct ClassificationObservation: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The observation's own identifier.
  public let uuid: UUID
  /// How sure it is, 0 to 1.
  public let confidence: Float
  /// The class.
  public let identifier: String

  /// The same as the older observation.
  public init(_ observation: VNClassificationObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    identifier = observation.identifier
  }

  /// False: there are no precision and recall curves here.
  public var hasPrecisionRecallCurve: Bool { false }

  /// False without a curve.
  public func hasMinimumPrecision(_ minimumPrecision: Float, forRecall recall: Float) -> Bool {
    false
  }

  /// False without a curve.
  public func hasMinimumRecall(_ minimumRecall: Float, forPrecision precision: Float) -> Bool {
    false
  }

  /// The class and the confidence.
  public var description: String { "\(confidence) \"\(identifier)\"" }
}
