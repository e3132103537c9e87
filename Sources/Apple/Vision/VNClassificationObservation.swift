/// A class that a classifier gave a picture, with its probability as the confidence.
open class VNClassificationObservation: VNObservation {
  /// The class.
  public let identifier: String

  init(identifier: String, confidence: VNConfidence) {
    self.identifier = identifier
    super.init(confidence: confidence)
  }

  /// False: models that are loaded here have no precision and recall curves.
  public var hasPrecisionRecallCurve: Bool { false }

  /// False without a curve.
  public func hasMinimumPrecision(_ minimumPrecision: Float, forRecall recall: Float) -> Bool {
    false
  }

  /// False without a curve.
  public func hasMinimumRecall(_ minimumRecall: Float, forPrecision precision: Float) -> Bool {
    false
  }

  /// The class and the confidence.
  override open var description: String { "\(confidence) \"\(identifier)\"" }
}
