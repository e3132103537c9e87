/// Something that has feature values by name: a model's input or output.
public protocol MLFeatureProvider: AnyObject {
  /// The names of the features that there are.
  var featureNames: Set<String> { get }

  /// The value of a feature; nil when there is none of that name.
  func featureValue(for featureName: String) -> MLFeatureValue?
}
