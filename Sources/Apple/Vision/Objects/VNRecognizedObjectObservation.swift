import CoreGraphics

/// An object that a detector found and classified. The confidence is the highest of its classes' confidences.
open class VNRecognizedObjectObservation: VNDetectedObjectObservation {
  /// The classes with their confidences, the most confident first.
  public let labels: [VNClassificationObservation]

  init(boundingBox: CGRect, confidence: VNConfidence, labels: [VNClassificationObservation]) {
    self.labels = labels
    super.init(boundingBox: boundingBox, confidence: confidence)
  }
}
