import CoreML
import Foundation

/// The first revision of ``VNClassifyImageRequest``.
public let VNClassifyImageRequestRevision1: Int = 1
/// The second revision of ``VNClassifyImageRequest``. Here, it equals the first revision.
public let VNClassifyImageRequestRevision2: Int = 2

/// A request that classifies an image with the framework's own network.
///
/// Results are ``VNClassificationObservation``s for the thousand classes of ImageNet, the most confident first. The
/// network is SqueezeNet, which the command `atelier fetch squeezenet` downloads once. Apple's request uses another
/// network with other classes.
open class VNClassifyImageRequest: VNImageBasedRequest {
  /// The results of the last run, the most confident first; nil before the first run and after an error.
  public var results: [VNClassificationObservation]? {
    found?.compactMap { $0 as? VNClassificationObservation }
  }

  /// Returns the labels of all classes.
  ///
  /// - Throws: ``VNError`` when nobody has downloaded SqueezeNet with `atelier fetch squeezenet`.
  open func supportedIdentifiers() throws -> [String] {
    (try PicturePrints.classifier().model.modelDescription.classLabels ?? []).map { "\($0)" }
  }

  /// Returns an observation for each class, with a confidence of 0.
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

  /// The supported revisions of the request's algorithm.
  override open class var supportedRevisions: IndexSet { IndexSet(1...2) }
}
