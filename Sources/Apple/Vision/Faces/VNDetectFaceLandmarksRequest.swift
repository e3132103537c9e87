import CoreGraphics
import Foundation
import Imaging

/// The first revision of ``VNDetectFaceLandmarksRequest``.
public let VNDetectFaceLandmarksRequestRevision1: Int = 1
/// The second revision of ``VNDetectFaceLandmarksRequest``. Here, all revisions are equal.
public let VNDetectFaceLandmarksRequestRevision2: Int = 2
/// The third revision of ``VNDetectFaceLandmarksRequest``. Here, all revisions are equal.
public let VNDetectFaceLandmarksRequestRevision3: Int = 3

/// A request that finds the eyes, the brows, the nose, the lips and the outline of faces. Results are
/// ``VNFaceObservation``s with landmarks.
///
/// The networks are MediaPipe's BlazeFace and face mesh, which `atelier fetch vision` downloads once. A face in which
/// the mesh has a confidence below 0.5 gets no landmarks.
open class VNDetectFaceLandmarksRequest: VNImageBasedRequest, VNFaceObservationAccepting {
  /// The faces to analyse. Nil means that the request finds faces itself.
  public var inputFaceObservations: [VNFaceObservation]?

  /// The results of the last run; nil before the first run and after an error.
  public var results: [VNFaceObservation]? {
    found?.compactMap { $0 as? VNFaceObservation }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let picture: Picture = try image.upright(self)
    let frame = PictureFrame(picture)
    if let faces = inputFaceObservations {
      return try faces.map { face in
        try observation(
          picture, box: frame.pixels(face.boundingBox),
          rotation: -CGFloat(face.roll?.doubleValue ?? 0), confidence: face.confidence)
      }
    }
    return try AnchorDetector.faces.detections(in: picture).map { face in
      try observation(
        picture, box: face.box, rotation: FaceMesh.rotation(face), confidence: face.score)
    }
  }

  /// Returns a face with its landmarks.
  private func observation(
    _ picture: Picture, box: CGRect, rotation: CGFloat, confidence: VNConfidence
  ) throws -> VNFaceObservation {
    let frame = PictureFrame(picture)
    let mesh = try FaceMesh(picture, box: box, rotation: rotation)
    let boundingBox: CGRect = frame.normalized(box)
    guard mesh.score > 0.5 else {
      return VNFaceObservation(
        boundingBox: boundingBox, confidence: confidence, roll: -rotation)
    }
    // The corners of the eyes, and the line from the forehead to the chin.
    let (right, left, top, chin) = (33, 263, 10, 152)
    let across: CGFloat = hypot(
      mesh.points[left].x - mesh.points[right].x, mesh.points[left].y - mesh.points[right].y)
    let down: CGFloat = hypot(
      mesh.points[chin].x - mesh.points[top].x, mesh.points[chin].y - mesh.points[top].y)
    return VNFaceObservation(
      boundingBox: boundingBox, confidence: confidence,
      landmarks: VNFaceLandmarks2D(
        mesh: mesh.points.map(frame.normalized), in: boundingBox, confidence: mesh.score),
      roll: -SampledRegion.rotation(from: mesh.points[right], to: mesh.points[left], target: 0),
      yaw: atan2(mesh.depths[right] - mesh.depths[left], across),
      pitch: atan2(mesh.depths[chin] - mesh.depths[top], down))
  }

  /// The supported revisions of the request's algorithm.
  override open class var supportedRevisions: IndexSet { IndexSet(1...3) }
  /// The revision of new requests.
  override open class var defaultRevision: Int { 3 }
  /// The newest revision of the request's algorithm.
  override open class var currentRevision: Int { 3 }
}
