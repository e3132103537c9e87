import Foundation

/// The side of the body that a hand belongs to. Raw values are Apple's.
public enum VNChirality: Int, Sendable {
  /// The side is unknown.
  case unknown = 0
  /// The left side.
  case left = -1
  /// The right side.
  case right = 1
}

/// A hand that a request found: 21 joints. The confidence of each joint is the confidence of the hand.
open class VNHumanHandPoseObservation: VNRecognizedPointsObservation {
  /// The name of a joint.
  public struct JointName: RawRepresentable, Hashable, Sendable {
    /// The joint's key.
    public let rawValue: VNRecognizedPointKey
    /// Makes a name from a key.
    public init(rawValue: VNRecognizedPointKey) { self.rawValue = rawValue }

    private init(_ key: String) { rawValue = VNRecognizedPointKey(rawValue: key) }

    /// The wrist.
    public static let wrist = JointName("VNHLKWRI")
    /// The carpometacarpal joint of the thumb.
    public static let thumbCMC = JointName("VNHLKTCMC")
    /// The metacarpophalangeal joint of the thumb.
    public static let thumbMP = JointName("VNHLKTMP")
    /// The interphalangeal joint of the thumb.
    public static let thumbIP = JointName("VNHLKTIP")
    /// The tip of the thumb.
    public static let thumbTip = JointName("VNHLKTTIP")
    /// The knuckle of the index finger.
    public static let indexMCP = JointName("VNHLKIMCP")
    /// The middle joint of the index finger.
    public static let indexPIP = JointName("VNHLKIPIP")
    /// The last joint of the index finger.
    public static let indexDIP = JointName("VNHLKIDIP")
    /// The tip of the index finger.
    public static let indexTip = JointName("VNHLKITIP")
    /// The knuckle of the middle finger.
    public static let middleMCP = JointName("VNHLKMMCP")
    /// The middle joint of the middle finger.
    public static let middlePIP = JointName("VNHLKMPIP")
    /// The last joint of the middle finger.
    public static let middleDIP = JointName("VNHLKMDIP")
    /// The tip of the middle finger.
    public static let middleTip = JointName("VNHLKMTIP")
    /// The knuckle of the ring finger.
    public static let ringMCP = JointName("VNHLKRMCP")
    /// The middle joint of the ring finger.
    public static let ringPIP = JointName("VNHLKRPIP")
    /// The last joint of the ring finger.
    public static let ringDIP = JointName("VNHLKRDIP")
    /// The tip of the ring finger.
    public static let ringTip = JointName("VNHLKRTIP")
    /// The knuckle of the little finger.
    public static let littleMCP = JointName("VNHLKPMCP")
    /// The middle joint of the little finger.
    public static let littlePIP = JointName("VNHLKPPIP")
    /// The last joint of the little finger.
    public static let littleDIP = JointName("VNHLKPDIP")
    /// The tip of the little finger.
    public static let littleTip = JointName("VNHLKPTIP")

    /// All joints, in the network's order.
    static let all: [JointName] = [
      .wrist, .thumbCMC, .thumbMP, .thumbIP, .thumbTip,
      .indexMCP, .indexPIP, .indexDIP, .indexTip, .middleMCP,
      .middlePIP, .middleDIP, .middleTip, .ringMCP, .ringPIP,
      .ringDIP, .ringTip, .littleMCP, .littlePIP, .littleDIP,
      .littleTip,
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
    /// The joints of the thumb.
    public static let thumb = JointsGroupName("VNHLRKT")
    /// The joints of the index finger.
    public static let indexFinger = JointsGroupName("VNHLRKI")
    /// The joints of the middle finger.
    public static let middleFinger = JointsGroupName("VNHLRKM")
    /// The joints of the ring finger.
    public static let ringFinger = JointsGroupName("VNHLRKR")
    /// The joints of the little finger.
    public static let littleFinger = JointsGroupName("VNHLRKP")

    /// The groups with their joints, without ``all``.
    static let members: [(name: JointsGroupName, joints: [JointName])] = [
      (.thumb, [.thumbCMC, .thumbMP, .thumbIP, .thumbTip]),
      (.indexFinger, [.indexMCP, .indexPIP, .indexDIP, .indexTip]),
      (.middleFinger, [.middleMCP, .middlePIP, .middleDIP, .middleTip]),
      (.ringFinger, [.ringMCP, .ringPIP, .ringDIP, .ringTip]),
      (.littleFinger, [.littleMCP, .littlePIP, .littleDIP, .littleTip]),
    ]
  }

  /// The side of the body that the hand belongs to, in an image that is not mirrored.
  public let chirality: VNChirality

  init(_ points: [VNRecognizedPoint], confidence: VNConfidence, chirality: VNChirality) {
    self.chirality = chirality
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
