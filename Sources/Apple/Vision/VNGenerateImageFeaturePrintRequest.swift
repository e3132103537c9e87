import CoreML
import Foundation

/// The first revision of ``VNGenerateImageFeaturePrintRequest``.
public let VNGenerateImageFeaturePrintRequestRevision1: Int = 1
/// The second revision of ``VNGenerateImageFeaturePrintRequest``. Here, it equals the first revision.
public let VNGenerateImageFeaturePrintRequestRevision2: Int = 2

/// A request that computes the feature print of an image. The result is one ``VNFeaturePrintObservation``.
///
/// The distance between the prints of similar images is small. SqueezeNet computes the prints. The command
/// `atelier fetch squeezenet` downloads SqueezeNet once. These prints cannot be compared with prints of Apple's
/// network.
open class VNGenerateImageFeaturePrintRequest: VNImageBasedRequest {
  /// The result of the last run; nil before the first run and after an error.
  public var results: [VNFeaturePrintObservation]? {
    found?.compactMap { $0 as? VNFeaturePrintObservation }
  }

  /// How the image is scaled to the size of the network's input.
  public var imageCropAndScaleOption: VNImageCropAndScaleOption = .scaleFill

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let request = VNCoreMLRequest(model: try PicturePrints.extractor())
    request.regionOfInterest = regionOfInterest
    request.imageCropAndScaleOption = imageCropAndScaleOption
    return try request.observations(in: image).compactMap { observation in
      let value = (observation as? VNCoreMLFeatureValueObservation)?.featureValue
      return value?.multiArrayValue.map { array in
        VNFeaturePrintObservation(print: (0..<array.count).map { array[$0].floatValue })
      }
    }
  }

  /// The supported revisions of the request's algorithm.
  override open class var supportedRevisions: IndexSet { IndexSet(1...2) }
}
