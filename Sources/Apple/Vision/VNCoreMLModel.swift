import CoreML
import Foundation

/// A Core ML model that takes a picture, for use in requests.
open class VNCoreMLModel: NSObject {
  let model: MLModel

  /// The input that gets the picture: the model's first image input unless changed.
  public var inputImageFeatureName: String

  /// The values of the model's other inputs, where it has some.
  public var featureProvider: (any MLFeatureProvider)?

  /// Wraps a model.
  ///
  /// - Throws: ``VNError`` for a model without an image input.
  public convenience init(for model: MLModel) throws {
    let description: MLModelDescription = model.modelDescription
    let images: [String] = description.inputNames.filter {
      description.inputDescriptionsByName[$0]?.type == .image
    }
    guard let name = images.first else {
      let names: String = description.inputNames.map { "\"\($0)\"" }.joined(separator: ", ")
      throw VNError(
        .invalidModel,
        "The model has no image input (its inputs are \(names)), so that Vision cannot use it. Call "
          + "MLModel.prediction(from:) instead.")
    }
    self.init(model, inputImageFeatureName: name)
  }

  private init(_ model: MLModel, inputImageFeatureName: String) {
    self.model = model
    self.inputImageFeatureName = inputImageFeatureName
  }
}
