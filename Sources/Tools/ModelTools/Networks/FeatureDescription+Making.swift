import ModelFormat

extension Spec.FeatureDescription {
  /// Creates the description of a model's input or output.
  init(_ name: String, _ summary: String, _ type: Spec.FeatureType.OneOfType) {
    self.init()
    self.name = name
    shortDescription = summary
    var feature = Spec.FeatureType()
    feature.type = type
    self.type = feature
  }
}
