import CoreGraphics
import Foundation
import Imaging

/// The only revision of ``VNDetectHumanBodyPoseRequest``.
public let VNDetectHumanBodyPoseRequestRevision1: Int = 1

/// A request that finds bodies and their joints. Results are ``VNHumanBodyPoseObservation``s.
///
/// The networks are MediaPipe's BlazePose, which `atelier fetch vision` downloads once.
open class VNDetectHumanBodyPoseRequest: VNImageBasedRequest {
  /// The results of the last run; nil before the first run and after an error.
  public var results: [VNHumanBodyPoseObservation]? {
    found?.compactMap { $0 as? VNHumanBodyPoseObservation }
  }

  /// Returns the names of the joints that a revision finds.
  open class func supportedJointNames(
    forRevision revision: Int
  ) throws -> [VNHumanBodyPoseObservation.JointName] {
    VNHumanBodyPoseObservation.JointName.found.map(\.name) + [.neck, .root]
  }

  /// Returns the names of the joints.
  open func supportedJointNames() throws -> [VNHumanBodyPoseObservation.JointName] {
    try Self.supportedJointNames(forRevision: revision)
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let picture: Picture = try image.upright(self)
    let frame = PictureFrame(picture)
    return try BodyPose.bodies(in: picture).map { body in
      var joints: [VNRecognizedPoint] = VNHumanBodyPoseObservation.JointName.found.map {
        name, index in
        VNRecognizedPoint(
          name.rawValue, at: frame.normalized(body.points[index]),
          confidence: body.visibilities[index])
      }
      let pairs: [(VNHumanBodyPoseObservation.JointName, Int, Int)] = [
        (.neck, 11, 12), (.root, 23, 24),
      ]
      for (name, left, right) in pairs {
        let (one, other): (CGPoint, CGPoint) = (body.points[left], body.points[right])
        joints.append(
          VNRecognizedPoint(
            name.rawValue,
            at: frame.normalized(CGPoint(x: (one.x + other.x) / 2, y: (one.y + other.y) / 2)),
            confidence: min(body.visibilities[left], body.visibilities[right])))
      }
      return VNHumanBodyPoseObservation(joints, confidence: body.score)
    }
  }
}
