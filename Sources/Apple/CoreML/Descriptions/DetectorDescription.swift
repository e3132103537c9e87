import ModelFormat

/// The features and thresholds of an object detector: a model of the type `nonMaximumSuppression`, or a pipeline that
/// ends in such a model.
package struct DetectorDescription: Sendable, Hashable {
  /// The name of the output with the confidences, `[boxes, classes]`.
  package let confidences: String
  /// The name of the output with the boxes, `[boxes, 4]`: centre x, centre y, width and height, as fractions of the
  /// model's image with the origin at the top left.
  package let coordinates: String
  /// The name of the optional input whose value replaces ``overlapThreshold``; nil for a model without this input.
  package let overlapInput: String?
  /// The name of the optional input whose value replaces ``confidenceThreshold``; nil for a model without this input.
  package let confidenceInput: String?
  /// The largest intersection over union that two selected boxes may have, if the caller gives no other value.
  package let overlapThreshold: Double
  /// The least confidence of a selected box, if the caller gives no other value.
  package let confidenceThreshold: Double

  /// Reads the description of a detector. Returns nil for a model that is no detector.
  init?(_ model: Spec.Model) {
    switch model.type {
    case .nonMaximumSuppression(let message):
      func name(_ text: String) -> String? { text.isEmpty ? nil : text }
      confidences = message.confidenceOutputFeatureName
      coordinates = message.coordinatesOutputFeatureName
      overlapInput = name(message.iouThresholdInputFeatureName)
      confidenceInput = name(message.confidenceThresholdInputFeatureName)
      overlapThreshold = message.iouThreshold
      confidenceThreshold = message.confidenceThreshold
    case .pipeline(let pipeline):
      guard let last = pipeline.models.last, let detector = DetectorDescription(last) else {
        return nil
      }
      self = detector
    default: return nil
    }
  }
}
