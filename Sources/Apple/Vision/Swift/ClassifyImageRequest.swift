import Foundation

/// A request that classifies an image with the framework's own network. See ``VNClassifyImageRequest``.
public struct ClassifyImageRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable {
    /// Apple's second revision, the only one here.
    case revision2
  }

  /// The classes, the most confident first.
  public typealias Result = [ClassificationObservation]

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision2]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision2 }

  /// The labels of all classes; empty if nobody has downloaded SqueezeNet with `atelier fetch squeezenet`.
  public var supportedIdentifiers: [String] {
    (try? VNClassifyImageRequest().supportedIdentifiers()) ?? []
  }

  /// Classifies an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNClassifyImageRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    return try request.observations(in: image.image)
      .compactMap { $0 as? VNClassificationObservation }.map(ClassificationObservation.init)
  }
}

/// A class that the request predicted for an image. The confidence is the probability of the class.
public struct ClassificationObservation: VisionObservation {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, from 0 to 1.
  public let confidence: Float
  /// The label of the class.
  public let identifier: String

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNClassificationObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    identifier = observation.identifier
  }

  /// False, because this framework has no precision and recall curves.
  public var hasPrecisionRecallCurve: Bool { false }

  /// Returns false, because there is no curve.
  public func hasMinimumPrecision(_ minimumPrecision: Float, forRecall recall: Float) -> Bool {
    false
  }

  /// Returns false, because there is no curve.
  public func hasMinimumRecall(_ minimumRecall: Float, forPrecision precision: Float) -> Bool {
    false
  }

  /// The confidence and the label.
  public var description: String { "\(confidence) \"\(identifier)\"" }
}
