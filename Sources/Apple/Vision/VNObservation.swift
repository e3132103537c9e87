import Foundation

/// The confidence of an observation, from 0 to 1.
public typealias VNConfidence = Float

/// One result of a request.
open class VNObservation: NSObject {
  /// The unique identifier of the observation.
  public let uuid = UUID()

  /// The confidence of the observation, from 0 to 1.
  public let confidence: VNConfidence

  init(confidence: VNConfidence) {
    self.confidence = confidence
  }

  /// The identifier and the confidence.
  override open var description: String { "\(uuid) confidence \(confidence)" }
}
