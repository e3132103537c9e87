import Foundation

/// A hand that a request found: 21 joints.
public struct HumanHandPoseObservation: VisionObservation {
  /// The side of a body.
  public enum Chirality: String, Sendable, Hashable, Codable, CaseIterable {
    /// The left side.
    case left
    /// The right side.
    case right
  }

  /// The name of a joint.
  public enum JointName: String, Sendable, Hashable, Codable, CaseIterable {
    /// The wrist.
    case wrist
    /// The carpometacarpal joint of the thumb.
    case thumbCMC
    /// The metacarpophalangeal joint of the thumb.
    case thumbMP
    /// The interphalangeal joint of the thumb.
    case thumbIP
    /// The tip of the thumb.
    case thumbTip
    /// The knuckle of the index finger.
    case indexMCP
    /// The middle joint of the index finger.
    case indexPIP
    /// The last joint of the index finger.
    case indexDIP
    /// The tip of the index finger.
    case indexTip
    /// The knuckle of the middle finger.
    case middleMCP
    /// The middle joint of the middle finger.
    case middlePIP
    /// The last joint of the middle finger.
    case middleDIP
    /// The tip of the middle finger.
    case middleTip
    /// The knuckle of the ring finger.
    case ringMCP
    /// The middle joint of the ring finger.
    case ringPIP
    /// The last joint of the ring finger.
    case ringDIP
    /// The tip of the ring finger.
    case ringTip
    /// The knuckle of the little finger.
    case littleMCP
    /// The middle joint of the little finger.
    case littlePIP
    /// The last joint of the little finger.
    case littleDIP
    /// The tip of the little finger.
    case littleTip
  }

  /// The name of a group of joints.
  public enum JointsGroupName: String, Sendable, Hashable, Codable, CaseIterable {
    /// The joints of the thumb.
    case thumb
    /// The joints of the index finger.
    case indexFinger
    /// The joints of the middle finger.
    case middleFinger
    /// The joints of the ring finger.
    case ringFinger
    /// The joints of the little finger.
    case littleFinger

    var joints: [JointName] {
      switch self {
      case .thumb: [.thumbCMC, .thumbMP, .thumbIP, .thumbTip]
      case .indexFinger: [.indexMCP, .indexPIP, .indexDIP, .indexTip]
      case .middleFinger: [.middleMCP, .middlePIP, .middleDIP, .middleTip]
      case .ringFinger: [.ringMCP, .ringPIP, .ringDIP, .ringTip]
      case .littleFinger: [.littleMCP, .littlePIP, .littleDIP, .littleTip]
      }
    }
  }

  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, from 0 to 1.
  public let confidence: Float
  /// The side of the body that the hand belongs to, in an image that is not mirrored. Nil if it is unknown.
  public let chirality: Chirality?
  private let joints: [JointName: Joint]

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNHumanHandPoseObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    chirality =
      switch observation.chirality {
      case .left: .left
      case .right: .right
      case .unknown: nil
      }
    let names: [(JointName, VNHumanHandPoseObservation.JointName)] = [
      (.wrist, .wrist), (.thumbCMC, .thumbCMC),
      (.thumbMP, .thumbMP), (.thumbIP, .thumbIP),
      (.thumbTip, .thumbTip), (.indexMCP, .indexMCP),
      (.indexPIP, .indexPIP), (.indexDIP, .indexDIP),
      (.indexTip, .indexTip), (.middleMCP, .middleMCP),
      (.middlePIP, .middlePIP), (.middleDIP, .middleDIP),
      (.middleTip, .middleTip), (.ringMCP, .ringMCP),
      (.ringPIP, .ringPIP), (.ringDIP, .ringDIP),
      (.ringTip, .ringTip), (.littleMCP, .littleMCP),
      (.littlePIP, .littlePIP), (.littleDIP, .littleDIP),
      (.littleTip, .littleTip),
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
  public var description: String { "hand with \(joints.count) joints, confidence \(confidence)" }
}
