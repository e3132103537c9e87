import CoreML

/// The class that Xcode generates for a model in a project, with the members that this program needs.
final class UpdatableDrawingClassifier {
  let model: MLModel

  init(contentsOf url: URL) throws {
    model = try MLModel(contentsOf: url)
  }

  /// The model's constraint for its pictures.
  var imageConstraint: MLImageConstraint? {
    model.modelDescription.inputDescriptionsByName["drawing"]?.imageConstraint
  }

  /// Returns the label of a drawing, or nil if no learned drawing is similar.
  func label(of drawing: MLFeatureValue) throws -> String? {
    let input = try MLDictionaryFeatureProvider(dictionary: ["drawing": drawing])
    let label: String? = try model.prediction(from: input).featureValue(for: "label")?.stringValue
    return label == "unknown" ? nil : label
  }
}
