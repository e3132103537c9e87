import CoreML

/// What Xcode makes of a model that is dragged into a project, as far as this program needs it.
final class UpdatableDrawingClassifier {
  let model: MLModel

  init(contentsOf url: URL) throws {
    model = try MLModel(contentsOf: url)
  }

  /// What the model says about its pictures.
  var imageConstraint: MLImageConstraint? {
    model.modelDescription.inputDescriptionsByName["drawing"]?.imageConstraint
  }

  /// The label of a drawing; nil where it is like none that was learned.
  func label(of drawing: MLFeatureValue) throws -> String? {
    let input = try MLDictionaryFeatureProvider(dictionary: ["drawing": drawing])
    let label: String? = try model.prediction(from: input).featureValue(for: "label")?.stringValue
    return label == "unknown" ? nil : label
  }
}
