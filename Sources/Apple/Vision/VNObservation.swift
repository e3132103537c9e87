import Foundation

/// How sure an observation is, from 0 to 1.
public typealias VNConfidence = Float

/// Something that a request found in a picture.
open class VNObservation: NSObject {
  /// The observation's own identifier.
  public let uuid = UUID()

  /// How sure the observation is, from 0 to 1.
  public let confidence: VNConfidence

  init(confidence: VNConfidence) {
    self.confidence = confidence
  }

  /// The identifier and the confidence.
  override open var description: String { "\(uuid) confidence \(confidence)" }
}
