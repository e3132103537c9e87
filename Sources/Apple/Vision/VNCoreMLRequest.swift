import CoreML
import CoreVideo
import Foundation
import Imaging

/// The only revision of ``VNCoreMLRequest``.
public let VNCoreMLRequestRevision1: Int = 1

/// A request that lets a Core ML model look at a picture.
///
/// The picture is brought to the size of the model's input first. Results are
/// ``VNClassificationObservation``s, the surest first, for a classifier;
/// ``VNPixelBufferObservation``s for a model that gives pictures;
/// ``VNCoreMLFeatureValueObservation``s for all others.
open class VNCoreMLRequest: VNImageBasedRequest {
  /// The model.
  public let model: VNCoreMLModel

  /// How the picture is brought to the size of the model's input.
  public var imageCropAndScaleOption: VNImageCropAndScaleOption = .centerCrop

  /// Makes a request.
  public init(model: VNCoreMLModel, completionHandler: VNRequestCompletionHandler? = nil) {
    self.model = model
    super.init(completionHandler: completionHandler)
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    let buffer: CVPixelBuffer = try input(for: image)
    try checkCancellation()
    let features = RequestFeatures(
      imageName: model.inputImageFeatureName, image: MLFeatureValue(pixelBuffer: buffer),
      others: model.featureProvider)
    let output: any MLFeatureProvider = try model.model.prediction(from: features)
    return ObservationMaker(model.model.modelDescription).observations(in: output)
  }

  /// The picture as the model's input wants it.
  private func input(for image: RequestImage) throws -> CVPixelBuffer {
    let name: String = model.inputImageFeatureName
    let description: MLFeatureDescription? =
      model.model.modelDescription.inputDescriptionsByName[name]
    guard let constraint = description?.imageConstraint else {
      throw VNError(
        .invalidModel,
        "The model has no image input \"\(name)\", which inputImageFeatureName asks for.")
    }
    let (width, height): (Int, Int) = (constraint.pixelsWide, constraint.pixelsHigh)
    // What does not fit the memory is refused before the picture is read.
    try model.model.prepare(
      pictures: nil,
      others: RequestFeatures(imageName: name, image: nil, others: model.featureProvider))
    let isWhole: Bool = regionOfInterest == CGRect(x: 0, y: 0, width: 1, height: 1)
    if isWhole, !imageCropAndScaleOption.mode.rotates,
      let buffer = image.pixelBuffer(width: width, height: height)
    {
      return buffer
    }
    let picture: Picture = try image.picture()
    let swaps: Bool = image.orientation.swapsSides
    let region: PixelRegion? = try pixelRegion(
      width: swaps ? picture.height : picture.width,
      height: swaps ? picture.width : picture.height)
    do {
      return try picture.pixelBuffer(
        format: constraint.pixelFormatType, fittedToWidth: width, height: height,
        mode: imageCropAndScaleOption.mode, region: region, orientation: image.orientation)
    } catch let error as ImagingError {
      throw VNError(.invalidImage, error.message)
    }
  }
}

/// The picture under its name, where there is one yet, and what the model's other inputs get.
private final class RequestFeatures: MLFeatureProvider {
  private let imageName: String
  private let image: MLFeatureValue?
  private let others: (any MLFeatureProvider)?

  init(imageName: String, image: MLFeatureValue?, others: (any MLFeatureProvider)?) {
    self.imageName = imageName
    self.image = image
    self.others = others
  }

  var featureNames: Set<String> { (others?.featureNames ?? []).union([imageName]) }

  func featureValue(for featureName: String) -> MLFeatureValue? {
    featureName == imageName ? image : others?.featureValue(for: featureName)
  }
}
