import Conversion
import Engine
import Foundation

/// MediaPipe's networks, which Vision's requests for faces, hands, poses and persons use. `atelier fetch vision`
/// downloads them into the cache.
///
/// **Source:** Bazarevsky et al., “BlazeFace”, arXiv:1907.05047; Kartynnik et al., “Real-time Facial Surface Geometry
/// from Monocular Video on Mobile GPUs”, arXiv:1907.06724; Zhang et al., “MediaPipe Hands”, arXiv:2006.10214;
/// Bazarevsky et al., “BlazePose”, arXiv:2006.10204.
public enum VisionNetwork: String, CaseIterable, Sendable {
  /// Boxes and six points of faces within about two metres: `[1, 128, 128, 3]`, −1…1.
  case faceDetection
  /// 468 points of a face: `[1, 192, 192, 3]`, 0…1.
  case faceLandmarks
  /// Boxes and seven points of palms: `[1, 192, 192, 3]`, 0…1.
  case palmDetection
  /// 21 points of a hand: `[1, 224, 224, 3]`, 0…1.
  case handLandmarks
  /// The hips and the extent of persons: `[1, 224, 224, 3]`, −1…1.
  case poseDetection
  /// 33 points of a body: `[1, 256, 256, 3]`, 0…1.
  case poseLandmarks
  /// The probability of a person in each pixel: `[1, 256, 256, 3]`, 0…1.
  case personSegmentation

  /// The path of the network in MediaPipe's package.
  var member: String {
    let path: String =
      switch self {
      case .faceDetection: "face_detection/face_detection_short_range"
      case .faceLandmarks: "face_landmark/face_landmark"
      case .palmDetection: "palm_detection/palm_detection_full"
      case .handLandmarks: "hand_landmark/hand_landmark_full"
      case .poseDetection: "pose_detection/pose_detection"
      case .poseLandmarks: "pose_landmark/pose_landmark_full"
      case .personSegmentation: "selfie_segmentation/selfie_segmentation"
      }
    return "mediapipe/modules/\(path).tflite"
  }

  /// The name of the network's file in the cache.
  public var fileName: String { "Vision-\(rawValue).tflite" }

  /// Reads the network from a cache folder.
  ///
  /// - Throws: ``ModelToolsError`` if the network is not fetched, or the error of a file that cannot be read.
  package func read(from cache: URL = ModelCache.folder) throws -> GraphModel {
    let file: URL = cache.appendingPathComponent(fileName)
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw ModelToolsError(
        .notFetched,
        "The networks for faces, hands, poses and persons are not fetched yet. Run `atelier fetch"
          + " vision` once.")
    }
    return try ModelReaders.read(file)
  }
}
