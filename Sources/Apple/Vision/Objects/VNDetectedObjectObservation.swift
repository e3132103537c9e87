import CoreGraphics

/// An object that a request found in an image.
open class VNDetectedObjectObservation: VNObservation {
  /// The box around the object, normalised to the region of interest (0 to 1), with the origin at the lower left.
  public let boundingBox: CGRect

  init(boundingBox: CGRect, confidence: VNConfidence) {
    self.boundingBox = boundingBox
    super.init(confidence: confidence)
  }

  /// Makes an observation with a confidence of 1, for requests that begin with a known box.
  public convenience init(boundingBox: CGRect) {
    self.init(boundingBox: boundingBox, confidence: 1)
  }

  /// Makes an observation for a revision of a request. The revision has no effect.
  public convenience init(requestRevision: Int, boundingBox: CGRect) {
    self.init(boundingBox: boundingBox, confidence: 1)
  }

  /// The identifier, the box and the confidence.
  override open var description: String { "\(uuid) \(boundingBox) confidence \(confidence)" }
}
