import CoreML
import Foundation

/// The first revision of ``VNClassifyImageRequest``.
public let VNClassifyImageRequestRevision1: Int = 1
/// The second revision of ``VNClassifyImageRequest``, which is the first here.
public let VNClassifyImageRequestRevision2: Int = 2

/// A request that names what a picture shows, without a model of the caller's.
///
/// Results are ``VNClassificationObservation``s for the thousand classes of ImageNet, the surest first, by
/// SqueezeNet, which `atelier fetch squeezenet` fetches once. Apple's network is another and has other
/// classes.
open class VNClassifyImageRequest: VNImageBasedRequest {
  /// The classes that were found last, the surest first; nil before the first time and after an error.
  public var results: [VNClassificationObservation]? {
    found?.compactMap { $0 as? VNClassificationObservation }
  }

  /// The names of the classes.
  ///
  /// - Throws: ``VNError`` where SqueezeNet is not fetched.
  open func supportedIdentifiers() throws -> [String] {
    (try PicturePrints.classifier().model.modelDescription.classLabels ?? []).map { "\($0)" }
  }

  /// The classes, with a confidence of 0.
  open class func knownClassifications(
    forRevision revision: Int
  ) throws -> [VNClassificationObservation] {
    try VNClassifyImageRequest().supportedIdentifiers().map {
      VNClassificationObservation(identifier: $0, confidence: 0)
    }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let request = VNCoreMLRequest(model: try PicturePrints.classifier())
    request.regionOfInterest = regionOfInterest
    return try request.observations(in: image)
  }

  /// The versions of the request's algorithm that there are.
  override open class var supportedRevisions: IndexSet { IndexSet(1...2) }
}
