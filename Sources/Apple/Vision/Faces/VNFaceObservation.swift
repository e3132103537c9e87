import CoreGraphics
import Foundation

/// A face that a request found in an image.
open class VNFaceObservation: VNDetectedObjectObservation {
  /// The points of the face. Only ``VNDetectFaceLandmarksRequest`` computes them; otherwise nil.
  public let landmarks: VNFaceLandmarks2D?

  /// The rotation in the plane of the image, in radians, counter-clockwise. Nil if the rotation is unknown.
  public let roll: NSNumber?

  /// The rotation around the vertical axis, in radians, positive towards the right edge of the image. Only the request
  /// for landmarks computes this angle.
  public let yaw: NSNumber?

  /// The rotation around the horizontal axis, in radians, positive downwards. Only the request for landmarks computes
  /// this angle.
  public let pitch: NSNumber?

  init(
    boundingBox: CGRect, confidence: VNConfidence, landmarks: VNFaceLandmarks2D? = nil,
    roll: CGFloat? = nil, yaw: CGFloat? = nil, pitch: CGFloat? = nil
  ) {
    func number(_ value: CGFloat?) -> NSNumber? { value.map { NSNumber(value: Double($0)) } }
    self.landmarks = landmarks
    (self.roll, self.yaw, self.pitch) = (number(roll), number(yaw), number(pitch))
    super.init(boundingBox: boundingBox, confidence: confidence)
  }

  /// Makes a face for a revision of a request, with a confidence of 1.
  public convenience init(
    requestRevision: Int, boundingBox: CGRect, roll: NSNumber?, yaw: NSNumber?, pitch: NSNumber?
  ) {
    self.init(
      boundingBox: boundingBox, confidence: 1, roll: roll.map { CGFloat($0.doubleValue) },
      yaw: yaw.map { CGFloat($0.doubleValue) }, pitch: pitch.map { CGFloat($0.doubleValue) })
  }
}

/// A request that can begin with known faces.
public protocol VNFaceObservationAccepting: AnyObject {
  /// The faces to analyse. Nil means that the request finds faces itself.
  var inputFaceObservations: [VNFaceObservation]? { get set }
}
