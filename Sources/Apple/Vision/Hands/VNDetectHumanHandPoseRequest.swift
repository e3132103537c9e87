import Foundation
import Imaging

/// The only revision of ``VNDetectHumanHandPoseRequest``.
public let VNDetectHumanHandPoseRequestRevision1: Int = 1

/// A request that finds hands and their joints. Results are ``VNHumanHandPoseObservation``s.
///
/// The networks are MediaPipe's for palms and hands, which `atelier fetch vision` downloads once.
open class VNDetectHumanHandPoseRequest: VNImageBasedRequest {
  /// The largest number of hands to find.
  public var maximumHandCount: Int = 2

  /// The results of the last run; nil before the first run and after an error.
  public var results: [VNHumanHandPoseObservation]? {
    found?.compactMap { $0 as? VNHumanHandPoseObservation }
  }

  /// Returns the names of the joints that a revision finds.
  open class func supportedJointNames(
    forRevision revision: Int
  ) throws -> [VNHumanHandPoseObservation.JointName] { VNHumanHandPoseObservation.JointName.all }

  /// Returns the names of the joints.
  open func supportedJointNames() throws -> [VNHumanHandPoseObservation.JointName] {
    VNHumanHandPoseObservation.JointName.all
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    guard maximumHandCount > 0 else {
      throw VNError(
        .invalidArgument, "maximumHandCount is \(maximumHandCount), expected 1 or more.")
    }
    let picture: Picture = try image.upright(self)
    let frame = PictureFrame(picture)
    return try HandPose.hands(in: picture, maximum: maximumHandCount).map { hand in
      let joints: [VNRecognizedPoint] = zip(
        VNHumanHandPoseObservation.JointName.all, hand.points
      ).map { name, point in
        VNRecognizedPoint(
          name.rawValue, at: frame.normalized(point), confidence: hand.score)
      }
      return VNHumanHandPoseObservation(
        joints, confidence: hand.score, chirality: hand.rightness >= 0.5 ? .right : .left)
    }
  }
}
