import Conversion
import Engine
import Foundation

/// MediaPipe's networks for faces, hands, poses and persons, and PaddleOCR's for text, which Vision's requests use.
/// `atelier fetch vision` puts them into the cache.
///
/// **Source:** Bazarevsky et al., “BlazeFace”, arXiv:1907.05047; Kartynnik et al., “Real-time Facial Surface Geometry
/// from Monocular Video on Mobile GPUs”, arXiv:1907.06724; Zhang et al., “MediaPipe Hands”, arXiv:2006.10214;
/// Bazarevsky et al., “BlazePose”, arXiv:2006.10204; Liao et al., “Real-time Scene Text Detection with Differentiable
/// Binarization”, arXiv:1911.08947; Du et al., “SVTR”, arXiv:2205.00159.
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
  /// The probability of text in each pixel: `[1, 3, rows, columns]`, −1…1, sides multiples of 32.
  case textDetection
  /// The probabilities that a line of text is upright and upside down: `[1, 3, 48, 192]`, −1…1.
  case textDirection
  /// The characters in each column of a line of text: `[1, 3, 48, columns]`, −1…1.
  case textRecognition

  /// The package that contains the network.
  var archive: PinnedArchive { isForText ? .rapidOCR : .mediaPipe }

  /// The path of the network in its package.
  var member: String {
    switch self {
    case .faceDetection: mediaPipe("face_detection/face_detection_short_range")
    case .faceLandmarks: mediaPipe("face_landmark/face_landmark")
    case .palmDetection: mediaPipe("palm_detection/palm_detection_full")
    case .handLandmarks: mediaPipe("hand_landmark/hand_landmark_full")
    case .poseDetection: mediaPipe("pose_detection/pose_detection")
    case .poseLandmarks: mediaPipe("pose_landmark/pose_landmark_full")
    case .personSegmentation: mediaPipe("selfie_segmentation/selfie_segmentation")
    case .textDetection: "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx"
    case .textDirection: "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx"
    case .textRecognition: "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx"
    }
  }

  private func mediaPipe(_ path: String) -> String { "mediapipe/modules/\(path).tflite" }

  /// Whether the network finds or reads text.
  private var isForText: Bool {
    self == .textDetection || self == .textDirection || self == .textRecognition
  }

  /// The name of the network's file in the cache.
  public var fileName: String { "Vision-\(rawValue).\(isForText ? "onnx" : "tflite")" }

  /// Reads the network from a cache folder.
  ///
  /// - Throws: ``ModelToolsError`` if the network is not fetched, or the error of a file that cannot be read.
  package func read(from cache: URL = ModelCache.folder) throws -> GraphModel {
    let file: URL = cache.appendingPathComponent(fileName)
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw ModelToolsError(
        .notFetched,
        "The networks for faces, hands, poses, persons and text are not all fetched yet. Run `atelier"
          + " fetch vision` once.")
    }
    var options = ReadingOptions()
    // The file does not state which extents of a picture are fixed.
    switch self {
    case .textDetection: options.extents["x"] = [1, 3, Extent(from: 32), Extent(from: 32)]
    case .textDirection: options.extents["x"] = [1, 3, 48, 192]
    case .textRecognition: options.extents["x"] = [1, 3, 48, Extent(from: 32)]
    default: break
    }
    return try ModelReaders.read(file, options: options)
  }
}
