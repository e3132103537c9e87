/// A joint of a hand or a body.
public struct Joint: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The key of the joint.
  public let jointName: String
  /// The position, normalised to the region of interest.
  public let location: NormalizedPoint
  /// The confidence, from 0 to 1.
  public let confidence: Float

  init(jointName: String, _ point: VNRecognizedPoint) {
    self.jointName = jointName
    location = NormalizedPoint(normalizedPoint: point.location)
    confidence = point.confidence
  }

  /// The key, the position and the confidence as text.
  public var description: String { "\(jointName) at \(location), confidence \(confidence)" }
}
