import CoreML
import CoreVideo
import Foundation
import Imaging

/// The only revision of ``VNCoreMLRequest``.
public let VNCoreMLRequestRevision1: Int = 1

/// A request that runs a Core ML model on an image.
///
/// The request first scales the image to the size of the model's input. The results of a classifier are
/// ``VNClassificationObservation``s, the most confident first. The results of a detector, which is a pipeline that ends
/// in non-maximum suppression, are ``VNRecognizedObjectObservation``s. The results of a model with image outputs are
/// ``VNPixelBufferObservation``s. The results of all other models are ``VNCoreMLFeatureValueObservation``s.
open class VNCoreMLRequest: VNImageBasedRequest {
  /// The model.
  public let model: VNCoreMLModel

  /// How the image is scaled to the size of the model's input.
  public var imageCropAndScaleOption: VNImageCropAndScaleOption = .centerCrop

  /// Makes a request for a model.
  public init(model: VNCoreMLModel, completionHandler: VNRequestCompletionHandler? = nil) {
    self.model = model
    super.init(completionHandler: completionHandler)
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    let name: String = model.inputImageFeatureName
    let description: MLModelDescription = model.model.modelDescription
    guard let constraint = description.inputDescriptionsByName[name]?.imageConstraint else {
      throw VNError(
        .invalidModel,
        "The model has no image input \"\(name)\"; set inputImageFeatureName to one of its image inputs."
      )
    }
    // Plans the prediction before the request reads the image. If the prediction needs too much memory, this call
    // throws, and the request does not spend time on reading.
    try model.model.prepare(
      pictures: nil,
      others: RequestFeatures(imageName: name, image: nil, others: model.featureProvider))
    let (buffer, boxes): (CVPixelBuffer, BoxMapping) = try input(for: image, constraint)
    try checkCancellation()
    let features = RequestFeatures(
      imageName: name, image: MLFeatureValue(pixelBuffer: buffer), others: model.featureProvider)
    let output: any MLFeatureProvider = try model.model.prediction(from: features)
    return ObservationMaker(description, boxes: boxes).observations(in: output)
  }

  /// Returns the image in the size of the model's input, and the mapping of boxes from that image to the picture. If
  /// the caller's image is an upright pixel buffer of that size, and the request uses all of it without rotation,
  /// returns the caller's buffer in its own pixel format. Otherwise, returns a new buffer in the pixel format of the
  /// model's input.
  private func input(
    for image: RequestImage, _ constraint: MLImageConstraint
  ) throws -> (CVPixelBuffer, BoxMapping) {
    let (width, height): (Int, Int) = (constraint.pixelsWide, constraint.pixelsHigh)
    let mode: CropAndScale = imageCropAndScaleOption.mode
    if regionOfInterest == VNNormalizedIdentityRect, !mode.rotates,
      let buffer = image.pixelBuffer(width: width, height: height)
    {
      let boxes = BoxMapping(
        mode, width: width, height: height, modelWidth: width, modelHeight: height)
      return (buffer, boxes)
    }
    let picture: Picture = try image.picture()
    let swaps: Bool = image.orientation.swapsSides
    let shownWidth: Int = swaps ? picture.height : picture.width
    let shownHeight: Int = swaps ? picture.width : picture.height
    let region: PixelRegion? = try pixelRegion(width: shownWidth, height: shownHeight)
    do {
      let buffer: CVPixelBuffer = try picture.pixelBuffer(
        format: constraint.pixelFormatType, fittedToWidth: width, height: height,
        mode: mode, region: region, orientation: image.orientation)
      let boxes = BoxMapping(
        mode, width: region?.width ?? shownWidth, height: region?.height ?? shownHeight,
        modelWidth: width, modelHeight: height)
      return (buffer, boxes)
    } catch let error as ImagingError {
      throw VNError(.invalidImage, error.message)
    }
  }
}

/// The input features of a request: the image, and the values of the model's other inputs. The image is nil for the
/// call that only plans the prediction.
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
