/// A class that a classifier predicted for an image. The confidence is the probability of the class.
open class VNClassificationObservation: VNObservation {
  /// The label of the class.
  public let identifier: String

  init(identifier: String, confidence: VNConfidence) {
    self.identifier = identifier
    super.init(confidence: confidence)
  }

  /// False, because this framework has no precision and recall curves.
  public var hasPrecisionRecallCurve: Bool { false }

  /// Returns false, because there is no curve.
  public func hasMinimumPrecision(_ minimumPrecision: Float, forRecall recall: Float) -> Bool {
    false
  }

  /// Returns false, because there is no curve.
  public func hasMinimumRecall(_ minimumRecall: Float, forPrecision precision: Float) -> Bool {
    false
  }

  /// The confidence and the label.
  override open var description: String { "\(confidence) \"\(identifier)\"" }
}
