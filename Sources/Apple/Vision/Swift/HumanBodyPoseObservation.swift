import Foundation

/// A body that a request found: 19 joints.
public struct HumanBodyPoseObservation: VisionObservation {
  /// The name of a joint.
  public enum JointName: String, Sendable, Hashable, Codable, CaseIterable {
    /// The tip of the nose.
    case nose
    /// The left eye.
    case leftEye
    /// The right eye.
    case rightEye
    /// The left ear.
    case leftEar
    /// The right ear.
    case rightEar
    /// The middle between the shoulders.
    case neck
    /// The left shoulder.
    case leftShoulder
    /// The right shoulder.
    case rightShoulder
    /// The left elbow.
    case leftElbow
    /// The right elbow.
    case rightElbow
    /// The left wrist.
    case leftWrist
    /// The right wrist.
    case rightWrist
    /// The middle between the hips.
    case root
    /// The left hip.
    case leftHip
    /// The right hip.
    case rightHip
    /// The left knee.
    case leftKnee
    /// The right knee.
    case rightKnee
    /// The left ankle.
    case leftAnkle
    /// The right ankle.
    case rightAnkle
  }

  /// The name of a group of joints.
  public enum JointsGroupName: String, Sendable, Hashable, Codable, CaseIterable {
    /// The joints of the head.
    case face
    /// The joints of the torso.
    case torso
    /// The joints of the left arm.
    case leftArm
    /// The joints of the right arm.
    case rightArm
    /// The joints of the left leg.
    case leftLeg
    /// The joints of the right leg.
    case rightLeg

    var joints: [JointName] {
      switch self {
      case .face: [.nose, .leftEye, .rightEye, .leftEar, .rightEar]
      case .torso: [.neck, .leftShoulder, .rightShoulder, .root, .leftHip, .rightHip]
      case .leftArm: [.leftShoulder, .leftElbow, .leftWrist]
      case .rightArm: [.rightShoulder, .rightElbow, .rightWrist]
      case .leftLeg: [.leftHip, .leftKnee, .leftAnkle]
      case .rightLeg: [.rightHip, .rightKnee, .rightAnkle]
      }
    }
  }

  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, from 0 to 1.
  public let confidence: Float
  private let joints: [JointName: Joint]

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNHumanBodyPoseObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    let names: [(JointName, VNHumanBodyPoseObservation.JointName)] = [
      (.nose, .nose), (.leftEye, .leftEye),
      (.rightEye, .rightEye), (.leftEar, .leftEar),
      (.rightEar, .rightEar), (.neck, .neck),
      (.leftShoulder, .leftShoulder), (.rightShoulder, .rightShoulder),
      (.leftElbow, .leftElbow), (.rightElbow, .rightElbow),
      (.leftWrist, .leftWrist), (.rightWrist, .rightWrist),
      (.root, .root), (.leftHip, .leftHip),
      (.rightHip, .rightHip), (.leftKnee, .leftKnee),
      (.rightKnee, .rightKnee), (.leftAnkle, .leftAnkle),
      (.rightAnkle, .rightAnkle),
    ]
    var joints: [JointName: Joint] = [:]
    for (name, old) in names {
      joints[name] = (try? observation.recognizedPoint(old)).map {
        Joint(jointName: old.rawValue.rawValue, $0)
      }
    }
    self.joints = joints
  }

  /// The names of the joints that were found.
  public var availableJointNames: [JointName] { JointName.allCases.filter { joints[$0] != nil } }

  /// The names of the groups.
  public var availableJointsGroupNames: [JointsGroupName] { JointsGroupName.allCases }

  /// Returns a joint, or nil if the request did not find the joint.
  public func joint(for jointName: JointName) -> Joint? { joints[jointName] }

  /// Returns the joints of a group, or all joints.
  public func allJoints(in groupName: JointsGroupName? = nil) -> [JointName: Joint] {
    guard let groupName else { return joints }
    return joints.filter { groupName.joints.contains($0.key) }
  }

  /// The number of joints and the confidence as text.
  public var description: String { "body with \(joints.count) joints, confidence \(confidence)" }
}
