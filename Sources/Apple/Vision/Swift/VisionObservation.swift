import CoreGraphics
import Foundation

/// One result of a request of the newer interface.
public protocol VisionObservation: CustomStringConvertible, Codable, Hashable, Sendable {
  /// The unique identifier of the observation.
  var uuid: UUID { get }
  /// The confidence, from 0 to 1.
  var confidence: Float { get }
}

/// An observation with a box.
public protocol BoundingBoxProviding {
  /// The box, normalised to the region of interest.
  var boundingBox: NormalizedRect { get }
}

/// An object that a request found in an image.
public struct DetectedObjectObservation: VisionObservation, BoundingBoxProviding {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, from 0 to 1.
  public let confidence: Float
  /// The box, normalised to the region of interest.
  public let boundingBox: NormalizedRect

  /// Makes an observation with a confidence of 1.
  public init(boundingBox: NormalizedRect) {
    (uuid, confidence, self.boundingBox) = (UUID(), 1, boundingBox)
  }

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNDetectedObjectObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    boundingBox = NormalizedRect(normalizedRect: observation.boundingBox)
  }

  /// The box and the confidence as text.
  public var description: String { "object in \(boundingBox.cgRect), confidence \(confidence)" }
}

/// An object that a detector found and classified.
public struct RecognizedObjectObservation: VisionObservation, BoundingBoxProviding {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, from 0 to 1.
  public let confidence: Float
  /// The box, normalised to the region of interest.
  public let boundingBox: NormalizedRect
  /// The classes with their confidences, the most confident first.
  public let labels: [ClassificationObservation]

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNRecognizedObjectObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    boundingBox = NormalizedRect(normalizedRect: observation.boundingBox)
    labels = observation.labels.map(ClassificationObservation.init)
  }

  /// The best class, the box and the confidence as text.
  public var description: String {
    "\"\(labels.first?.identifier ?? "")\" in \(boundingBox.cgRect), confidence \(confidence)"
  }
}
