import CoreML
import Foundation

/// The first revision of ``VNGenerateImageFeaturePrintRequest``.
public let VNGenerateImageFeaturePrintRequestRevision1: Int = 1
/// The second revision of ``VNGenerateImageFeaturePrintRequest``, which is the first here.
public let VNGenerateImageFeaturePrintRequestRevision2: Int = 2

/// A request that describes what a picture shows by numbers: one ``VNFeaturePrintObservation``.
///
/// Prints of pictures that show the same are near each other. They come from SqueezeNet, which
/// `atelier fetch squeezenet` fetches once; prints of Apple's network are others, and cannot be
/// compared with these.
open class VNGenerateImageFeaturePrintRequest: VNImageBasedRequest {
  /// The print that was made last; nil before the first time and after an error.
  public var results: [VNFeaturePrintObservation]? {
    found?.compactMap { $0 as? VNFeaturePrintObservation }
  }

  /// How the picture is brought to the size of the network's input.
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

  /// The versions of the request's algorithm that there are.
  override open class var supportedRevisions: IndexSet { IndexSet(1...2) }
}
