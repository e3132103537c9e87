import Foundation

/// A body that a request found: 19 joints. A joint's confidence is the probability that the joint is in the image and
/// not hidden.
open class VNHumanBodyPoseObservation: VNRecognizedPointsObservation {
  /// The name of a joint. “Left” and “right” are the person's sides.
  public struct JointName: RawRepresentable, Hashable, Sendable {
    /// The joint's key.
    public let rawValue: VNRecognizedPointKey
    /// Makes a name from a key.
    public init(rawValue: VNRecognizedPointKey) { self.rawValue = rawValue }

    private init(_ key: String) { rawValue = VNRecognizedPointKey(rawValue: key) }

    /// The tip of the nose.
    public static let nose = JointName("head_joint")
    /// The left eye.
    public static let leftEye = JointName("left_eye_joint")
    /// The right eye.
    public static let rightEye = JointName("right_eye_joint")
    /// The left ear.
    public static let leftEar = JointName("left_ear_joint")
    /// The right ear.
    public static let rightEar = JointName("right_ear_joint")
    /// The middle between the shoulders.
    public static let neck = JointName("neck_1_joint")
    /// The left shoulder.
    public static let leftShoulder = JointName("left_shoulder_1_joint")
    /// The right shoulder.
    public static let rightShoulder = JointName("right_shoulder_1_joint")
    /// The left elbow.
    public static let leftElbow = JointName("left_forearm_joint")
    /// The right elbow.
    public static let rightElbow = JointName("right_forearm_joint")
    /// The left wrist.
    public static let leftWrist = JointName("left_hand_joint")
    /// The right wrist.
    public static let rightWrist = JointName("right_hand_joint")
    /// The middle between the hips.
    public static let root = JointName("root")
    /// The left hip.
    public static let leftHip = JointName("left_upLeg_joint")
    /// The right hip.
    public static let rightHip = JointName("right_upLeg_joint")
    /// The left knee.
    public static let leftKnee = JointName("left_leg_joint")
    /// The right knee.
    public static let rightKnee = JointName("right_leg_joint")
    /// The left ankle.
    public static let leftAnkle = JointName("left_foot_joint")
    /// The right ankle.
    public static let rightAnkle = JointName("right_foot_joint")

    /// The joints that the network finds, with their indices among its 33 points.
    static let found: [(name: JointName, index: Int)] = [
      (.nose, 0), (.leftEye, 2), (.rightEye, 5),
      (.leftEar, 7), (.rightEar, 8), (.leftShoulder, 11),
      (.rightShoulder, 12), (.leftElbow, 13), (.rightElbow, 14),
      (.leftWrist, 15), (.rightWrist, 16), (.leftHip, 23),
      (.rightHip, 24), (.leftKnee, 25), (.rightKnee, 26),
      (.leftAnkle, 27), (.rightAnkle, 28),
    ]
  }

  /// The name of a group of joints.
  public struct JointsGroupName: RawRepresentable, Hashable, Sendable {
    /// The group's key.
    public let rawValue: VNRecognizedPointGroupKey
    /// Makes a name from a key.
    public init(rawValue: VNRecognizedPointGroupKey) { self.rawValue = rawValue }

    private init(_ key: String) { rawValue = VNRecognizedPointGroupKey(rawValue: key) }

    /// All joints.
    public static let all = JointsGroupName(rawValue: .all)
    /// The joints of the head.
    public static let face = JointsGroupName("VNBLKFACE")
    /// The joints of the torso.
    public static let torso = JointsGroupName("VNBLKTORSO")
    /// The joints of the left arm.
    public static let leftArm = JointsGroupName("VNBLKLARM")
    /// The joints of the right arm.
    public static let rightArm = JointsGroupName("VNBLKRARM")
    /// The joints of the left leg.
    public static let leftLeg = JointsGroupName("VNBLKLLEG")
    /// The joints of the right leg.
    public static let rightLeg = JointsGroupName("VNBLKRLEG")

    /// The groups with their joints, without ``all``.
    static let members: [(name: JointsGroupName, joints: [JointName])] = [
      (.face, [.nose, .leftEye, .rightEye, .leftEar, .rightEar]),
      (.torso, [.neck, .leftShoulder, .rightShoulder, .root, .leftHip, .rightHip]),
      (.leftArm, [.leftShoulder, .leftElbow, .leftWrist]),
      (.rightArm, [.rightShoulder, .rightElbow, .rightWrist]),
      (.leftLeg, [.leftHip, .leftKnee, .leftAnkle]),
      (.rightLeg, [.rightHip, .rightKnee, .rightAnkle]),
    ]
  }

  init(_ points: [VNRecognizedPoint], confidence: VNConfidence) {
    super.init(
      points, confidence: confidence,
      groups: JointsGroupName.members.map { ($0.name.rawValue, $0.joints.map(\.rawValue)) })
  }

  /// The names of the joints.
  open var availableJointNames: [JointName] { availableKeys.map(JointName.init(rawValue:)) }

  /// The names of the groups.
  open var availableJointsGroupNames: [JointsGroupName] {
    availableGroupKeys.map(JointsGroupName.init(rawValue:))
  }

  /// Returns a joint.
  ///
  /// - Throws: ``VNError`` when there is no such joint.
  open func recognizedPoint(_ jointName: JointName) throws -> VNRecognizedPoint {
    try recognizedPoint(forKey: jointName.rawValue)
  }

  /// Returns the joints of a group.
  ///
  /// - Throws: ``VNError`` when there is no such group.
  open func recognizedPoints(
    _ jointsGroupName: JointsGroupName
  ) throws -> [JointName: VNRecognizedPoint] {
    let points = try recognizedPoints(forGroupKey: jointsGroupName.rawValue)
    return Dictionary(uniqueKeysWithValues: points.map { (JointName(rawValue: $0.key), $0.value) })
  }
}
