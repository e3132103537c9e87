import CoreGraphics
import Foundation

/// The landmarks of a face.
open class VNFaceLandmarks: NSObject {
  /// The confidence that the landmarks belong to a face, 0 to 1.
  public let confidence: VNConfidence

  init(confidence: VNConfidence) { self.confidence = confidence }
}

/// The landmarks of a face in the plane of the image: 76 points in the regions of Apple's framework.
///
/// The points are some of the 468 points of MediaPipe's face mesh. “Left” and “right” are the person's sides, as in
/// Apple's framework.
open class VNFaceLandmarks2D: VNFaceLandmarks {
  /// All points.
  public let allPoints: VNFaceLandmarkRegion2D?
  /// The outline of the face, from the temple on the image's left side over the chin to the other temple.
  public let faceContour: VNFaceLandmarkRegion2D?
  /// The outline of the left eye.
  public let leftEye: VNFaceLandmarkRegion2D?
  /// The outline of the right eye.
  public let rightEye: VNFaceLandmarkRegion2D?
  /// The left eyebrow.
  public let leftEyebrow: VNFaceLandmarkRegion2D?
  /// The right eyebrow.
  public let rightEyebrow: VNFaceLandmarkRegion2D?
  /// The outline of the nose.
  public let nose: VNFaceLandmarkRegion2D?
  /// The crest of the nose, from above.
  public let noseCrest: VNFaceLandmarkRegion2D?
  /// The line through the middle of the face, from above.
  public let medianLine: VNFaceLandmarkRegion2D?
  /// The outer outline of the lips.
  public let outerLips: VNFaceLandmarkRegion2D?
  /// The inner outline of the lips.
  public let innerLips: VNFaceLandmarkRegion2D?
  /// The centre of the left eye's outline. The network does not see the iris.
  public let leftPupil: VNFaceLandmarkRegion2D?
  /// The centre of the right eye's outline. The network does not see the iris.
  public let rightPupil: VNFaceLandmarkRegion2D?

  /// Selects the landmarks from the 468 points of a mesh. The points are normalised to the image.
  init(mesh: [CGPoint], in box: CGRect, confidence: VNConfidence) {
    func points(_ part: MeshPart) -> [CGPoint] { part.indices.map { mesh[$0] } }
    func region(_ part: MeshPart) -> VNFaceLandmarkRegion2D {
      VNFaceLandmarkRegion2D(points(part), in: box, part.classification)
    }
    func centre(_ part: MeshPart) -> CGPoint {
      let outline: [CGPoint] = points(part)
      return CGPoint(
        x: outline.reduce(0) { $0 + $1.x } / CGFloat(outline.count),
        y: outline.reduce(0) { $0 + $1.y } / CGFloat(outline.count))
    }
    leftEye = region(.leftEye)
    rightEye = region(.rightEye)
    leftEyebrow = region(.leftEyebrow)
    rightEyebrow = region(.rightEyebrow)
    nose = region(.nose)
    noseCrest = region(.noseCrest)
    medianLine = region(.medianLine)
    outerLips = region(.outerLips)
    innerLips = region(.innerLips)
    faceContour = region(.contour)
    let (left, right) = (centre(.leftEye), centre(.rightEye))
    leftPupil = VNFaceLandmarkRegion2D([left], in: box, .disconnected)
    rightPupil = VNFaceLandmarkRegion2D([right], in: box, .disconnected)
    let all: [CGPoint] = MeshPart.separate.flatMap(points) + [left, right]
    allPoints = VNFaceLandmarkRegion2D(all, in: box, .disconnected)
    super.init(confidence: confidence)
  }
}

/// A part of MediaPipe's face mesh.
///
/// **Source:** the mesh's topology in `canonical_face_model.obj` of MediaPipe, for the meaning of the indices.
private struct MeshPart {
  let indices: [Int]
  let classification: VNPointsClassification

  static let contour = MeshPart(
    indices: [
      127, 234, 93, 132, 58, 172, 136, 149, 152, 378, 365, 397, 288, 361, 323, 454, 356,
    ], classification: .openPath)
  // The person's left eye is on the right side of the image.
  static let leftEye = MeshPart(
    indices: [362, 385, 387, 263, 373, 380], classification: .closedPath)
  static let rightEye = MeshPart(
    indices: [33, 160, 158, 133, 153, 144], classification: .closedPath)
  static let leftEyebrow = MeshPart(
    indices: [336, 296, 334, 293, 300, 276], classification: .openPath)
  static let rightEyebrow = MeshPart(
    indices: [46, 70, 63, 105, 66, 107], classification: .openPath)
  static let nose = MeshPart(
    indices: [193, 198, 129, 98, 2, 327, 358, 420], classification: .openPath)
  static let noseCrest = MeshPart(
    indices: [168, 6, 197, 195, 5, 4], classification: .openPath)
  static let medianLine = MeshPart(
    indices: [168, 6, 197, 195, 5, 4, 2, 0, 17, 152], classification: .openPath)
  static let outerLips = MeshPart(
    indices: [61, 40, 37, 0, 267, 270, 291, 375, 405, 314, 17, 84, 181, 146],
    classification: .closedPath)
  static let innerLips = MeshPart(
    indices: [78, 81, 311, 308, 402, 178], classification: .closedPath)

  /// Parts that share no points. With the two pupils, these parts have the 76 points of Apple's framework.
  static let separate: [MeshPart] = [
    leftEyebrow, rightEyebrow, leftEye, rightEye, outerLips, innerLips, contour, nose,
    MeshPart(indices: [168, 6, 197, 195, 5], classification: .openPath),
  ]
}
