import CoreGraphics
import Foundation

/// An observation with four corners.
public protocol QuadrilateralProviding: BoundingBoxProviding {
  /// The upper left corner, normalised to the region of interest.
  var topLeft: NormalizedPoint { get }
  /// The upper right corner.
  var topRight: NormalizedPoint { get }
  /// The lower left corner.
  var bottomLeft: NormalizedPoint { get }
  /// The lower right corner.
  var bottomRight: NormalizedPoint { get }
}

/// A quadrilateral that a request found in an image.
public struct RectangleObservation: VisionObservation, QuadrilateralProviding {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, from 0 to 1.
  public let confidence: Float
  /// The box around the corners, normalised to the region of interest.
  public let boundingBox: NormalizedRect
  /// The upper left corner.
  public let topLeft: NormalizedPoint
  /// The upper right corner.
  public let topRight: NormalizedPoint
  /// The lower left corner.
  public let bottomLeft: NormalizedPoint
  /// The lower right corner.
  public let bottomRight: NormalizedPoint

  /// Makes an observation with a confidence of 1.
  public init(
    topLeft: NormalizedPoint, topRight: NormalizedPoint, bottomRight: NormalizedPoint,
    bottomLeft: NormalizedPoint
  ) {
    self.init(
      VNRectangleObservation(
        topLeft: topLeft.cgPoint, topRight: topRight.cgPoint, bottomLeft: bottomLeft.cgPoint,
        bottomRight: bottomRight.cgPoint, confidence: 1))
  }

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNRectangleObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    boundingBox = NormalizedRect(normalizedRect: observation.boundingBox)
    topLeft = NormalizedPoint(normalizedPoint: observation.topLeft)
    topRight = NormalizedPoint(normalizedPoint: observation.topRight)
    bottomLeft = NormalizedPoint(normalizedPoint: observation.bottomLeft)
    bottomRight = NormalizedPoint(normalizedPoint: observation.bottomRight)
  }

  /// The box and the confidence as text.
  public var description: String { "rectangle in \(boundingBox.cgRect), confidence \(confidence)" }
}

extension BarcodeObservation: QuadrilateralProviding {}
