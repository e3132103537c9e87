import CoreML

/// A value that a model made of a picture and that is neither classes nor a picture.
open class VNCoreMLFeatureValueObservation: VNObservation {
  /// The value.
  public let featureValue: MLFeatureValue

  /// The name of the model's output.
  public let featureName: String

  init(featureValue: MLFeatureValue, featureName: String) {
    self.featureValue = featureValue
    self.featureName = featureName
    super.init(confidence: 1)
  }
}
