import CoreML

/// An output of a model that is neither a classification nor an image.
open class VNCoreMLFeatureValueObservation: VNObservation {
  /// The value of the output.
  public let featureValue: MLFeatureValue

  /// The name of the model's output.
  public let featureName: String

  init(featureValue: MLFeatureValue, featureName: String) {
    self.featureValue = featureValue
    self.featureName = featureName
    super.init(confidence: 1)
  }
}
