import CoreGraphics
import Foundation
import Imaging

/// The first revision of ``VNDetectHumanRectanglesRequest``. Here, both revisions are equal.
public let VNDetectHumanRectanglesRequestRevision1: Int = 1
/// The second revision of ``VNDetectHumanRectanglesRequest``.
public let VNDetectHumanRectanglesRequestRevision2: Int = 2

/// A request that finds persons. Results are ``VNHumanObservation``s.
///
/// The networks are MediaPipe's BlazePose, which `atelier fetch vision` downloads once. A box surrounds the joints that
/// they find, with margins for the head, the hands and the feet.
open class VNDetectHumanRectanglesRequest: VNImageBasedRequest {
  /// Whether boxes surround only the upper body: head, arms and hips.
  public var upperBodyOnly: Bool = true

  /// The results of the last run; nil before the first run and after an error.
  public var results: [VNHumanObservation]? { found?.compactMap { $0 as? VNHumanObservation } }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let picture: Picture = try image.upright(self)
    let frame = PictureFrame(picture)
    let bounds = CGRect(x: 0, y: 0, width: picture.width, height: picture.height)
    return try BodyPose.bodies(in: picture).compactMap { body in
      let box: CGRect = body.box(upperBodyOnly: upperBodyOnly).intersection(bounds)
      guard !box.isNull, box.width > 0, box.height > 0 else { return nil }
      return VNHumanObservation(
        boundingBox: frame.normalized(box), confidence: body.score, upperBodyOnly: upperBodyOnly)
    }
  }

  /// The supported revisions of the request's algorithm.
  override open class var supportedRevisions: IndexSet { IndexSet(1...2) }
  /// The revision of new requests.
  override open class var defaultRevision: Int { 2 }
  /// The newest revision of the request's algorithm.
  override open class var currentRevision: Int { 2 }
}

/// A person that a request found.
open class VNHumanObservation: VNDetectedObjectObservation {
  /// Whether the box surrounds only the upper body.
  public let upperBodyOnly: Bool

  init(boundingBox: CGRect, confidence: VNConfidence, upperBodyOnly: Bool) {
    self.upperBodyOnly = upperBodyOnly
    super.init(boundingBox: boundingBox, confidence: confidence)
  }
}

extension BodyPose {
  /// Returns the box around the body, in pixels. It may leave the picture.
  func box(upperBodyOnly: Bool) -> CGRect {
    // BlazePose's points 0 to 10 are the head, 11 to 24 the shoulders, arms and hips, and the others the legs.
    let shown: ArraySlice<CGPoint> = upperBodyOnly ? points[...24] : points[...]
    let box: CGRect = shown.reduce(CGRect(origin: shown[0], size: .zero)) { box, point in
      box.union(CGRect(origin: point, size: .zero))
    }
    // The highest points are the eyes. The crown is about as far above them as the shoulders' width divided by two.
    let shoulders: CGFloat = hypot(points[11].x - points[12].x, points[11].y - points[12].y)
    let margin: CGFloat = 0.05 * max(box.width, box.height)
    return CGRect(
      x: box.minX - margin, y: box.minY - max(margin, 0.5 * shoulders),
      width: box.width + 2 * margin, height: box.height + margin + max(margin, 0.5 * shoulders))
  }
}
