import CoreGraphics
import Foundation
import Imaging

/// The first revision of ``VNDetectFaceRectanglesRequest``.
public let VNDetectFaceRectanglesRequestRevision1: Int = 1
/// The second revision of ``VNDetectFaceRectanglesRequest``. Here, all revisions are equal.
public let VNDetectFaceRectanglesRequestRevision2: Int = 2
/// The third revision of ``VNDetectFaceRectanglesRequest``. Here, all revisions are equal.
public let VNDetectFaceRectanglesRequestRevision3: Int = 3

/// A request that finds faces. Results are ``VNFaceObservation``s, the most confident first.
///
/// The network is MediaPipe's BlazeFace for short ranges, which `atelier fetch vision` downloads once. It misses faces
/// that are much smaller than a tenth of the image. Apple's request uses another network.
open class VNDetectFaceRectanglesRequest: VNImageBasedRequest {
  /// The results of the last run; nil before the first run and after an error.
  public var results: [VNFaceObservation]? {
    found?.compactMap { $0 as? VNFaceObservation }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let picture: Picture = try image.upright(self)
    let frame = PictureFrame(picture)
    return try AnchorDetector.faces.detections(in: picture).map { face in
      VNFaceObservation(
        boundingBox: frame.normalized(face.box), confidence: face.score,
        roll: -FaceMesh.rotation(face))
    }
  }

  /// The supported revisions of the request's algorithm.
  override open class var supportedRevisions: IndexSet { IndexSet(1...3) }
  /// The revision of new requests.
  override open class var defaultRevision: Int { 3 }
  /// The newest revision of the request's algorithm.
  override open class var currentRevision: Int { 3 }
}
