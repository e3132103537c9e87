/// Feature values by name: the input or output of a prediction.
public protocol MLFeatureProvider: AnyObject {
  /// The names of the features.
  var featureNames: Set<String> { get }

  /// Returns the value of a feature, or nil for an unknown name.
  func featureValue(for featureName: String) -> MLFeatureValue?
}
