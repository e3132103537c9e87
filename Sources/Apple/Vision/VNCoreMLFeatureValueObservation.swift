import CoreML

/// An output of a model of another kind than classes, objects and images.
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
