import CoreML
import Foundation

/// A Core ML model with an image input, for requests that run the model.
open class VNCoreMLModel: NSObject {
  let model: MLModel

  /// The name of the input that gets the image. The default is the name of the model's first image input.
  public var inputImageFeatureName: String

  /// The values of the model's other inputs.
  public var featureProvider: (any MLFeatureProvider)?

  /// Makes a model for requests.
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
        "The model has no image input (its inputs are \(names)), so Vision cannot use it. Call "
          + "MLModel.prediction(from:) instead.")
    }
    self.init(model, inputImageFeatureName: name)
  }

  private init(_ model: MLModel, inputImageFeatureName: String) {
    self.model = model
    self.inputImageFeatureName = inputImageFeatureName
  }
}
