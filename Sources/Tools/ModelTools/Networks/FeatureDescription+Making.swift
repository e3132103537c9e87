import ModelFormat

extension Spec.FeatureDescription {
  /// A feature of the model's description.
  init(_ name: String, _ summary: String, _ type: Spec.FeatureType.OneOfType) {
    self.init()
    self.name = name
    shortDescription = summary
    var feature = Spec.FeatureType()
    feature.type = type
    self.type = feature
  }
}
