import CoreGraphics
import CoreVideo
import Foundation
import Imaging
import ModelTools
import Testing
import Vision

/// Compares requests for faces, hands, bodies and persons with MediaPipe 0.10.14, which runs the same networks with
/// TensorFlow Lite. `Expected/make_landmarks.py` recorded MediaPipe's results.
@Suite("MediaPipe's answers", .enabled(if: Recorded.canRun), .serialized)
struct LandmarkTests {
  @Test("Faces have MediaPipe's boxes and confidences", arguments: Recorded.all)
  func faces(_ entry: Recorded) throws {
    let request = VNDetectFaceRectanglesRequest()
    let size: CGSize = try entry.perform(request)
    let found: [VNFaceObservation] = try #require(request.results)
    #expect(found.count == entry.faces.count)
    for (face, expected) in zip(found, entry.faces) {
      let box: CGRect = face.boundingBox
      let pixels: [CGFloat] = [
        box.minX * size.width, (1 - box.maxY) * size.height, box.width * size.width,
        box.height * size.height,
      ]
      for (one, other) in zip(pixels, expected.box) { #expect(abs(Double(one) - other) <= 0.2) }
      #expect(abs(face.confidence - expected.confidence) <= 0.005)
    }
  }

  @Test("Landmarks of faces are MediaPipe's within 1 % of the face", arguments: Recorded.all)
  func landmarks(_ entry: Recorded) throws {
    let request = VNDetectFaceLandmarksRequest()
    let size: CGSize = try entry.perform(request)
    let found: [VNFaceObservation] = try #require(request.results).filter { $0.landmarks != nil }
    #expect(found.count == entry.meshes.count)
    for (face, expected) in zip(found, entry.meshes) {
      let landmarks = try #require(face.landmarks)
      func points(_ region: VNFaceLandmarkRegion2D?) throws -> [CGPoint] {
        try #require(region).pointsInImage(imageSize: size)
      }
      let (right, left) = (try points(landmarks.rightEye), try points(landmarks.leftEye))
      let (lips, contour) = (try points(landmarks.outerLips), try points(landmarks.faceContour))
      #expect(contour.count == 17)
      #expect(landmarks.allPoints?.pointCount == 76)
      let mine: [CGPoint] = [right[0], right[3], left[0], left[3], lips[0], lips[6], contour[8]]
      let tolerance = Double(face.boundingBox.width * size.width) / 100
      for (index, (one, other)) in zip(mine, expected).enumerated() where index < 6 {
        #expect(abs(Double(one.x) - other[0]) <= tolerance)
        #expect(abs(Double(size.height - one.y) - other[1]) <= tolerance)
      }
    }
  }

  @Test("Joints of hands are MediaPipe's within 1 % of the hand", arguments: Recorded.all)
  func hands(_ entry: Recorded) throws {
    let request = VNDetectHumanHandPoseRequest()
    let size: CGSize = try entry.perform(request)
    let found: [VNHumanHandPoseObservation] = try #require(request.results)
    #expect(found.count == entry.hands.count)
    for (hand, expected) in zip(found, entry.hands) {
      let joints: [VNRecognizedPoint] = try hand.availableJointNames.map {
        try hand.recognizedPoint($0)
      }
      try Self.compare(joints.map(\.location), expected, size)
      #expect(try hand.recognizedPoints(.all).count == 21)
      #expect(try hand.recognizedPoints(.thumb).count == 4)
    }
  }

  @Test("Joints of bodies are MediaPipe's within 1 % of the body", arguments: Recorded.all)
  func bodies(_ entry: Recorded) throws {
    let request = VNDetectHumanBodyPoseRequest()
    let size: CGSize = try entry.perform(request)
    let found: [VNHumanBodyPoseObservation] = try #require(request.results)
    #expect(found.count == entry.bodies.count)
    for (body, expected) in zip(found, entry.bodies) {
      let joints: [(VNHumanBodyPoseObservation.JointName, Int)] = [
        (.nose, 0), (.leftEye, 2), (.rightEar, 8), (.leftShoulder, 11), (.rightShoulder, 12),
        (.leftElbow, 13), (.rightWrist, 16), (.leftHip, 23), (.rightKnee, 26), (.leftAnkle, 27),
      ]
      try Self.compare(
        joints.map { try body.recognizedPoint($0.0).location }, joints.map { expected[$0.1] }, size)
      let neck: CGPoint = try body.recognizedPoint(.neck).location
      let sides: [CGPoint] = [
        try body.recognizedPoint(.leftShoulder).location,
        try body.recognizedPoint(.rightShoulder).location,
      ]
      #expect(abs(neck.x - (sides[0].x + sides[1].x) / 2) < 1e-9)
    }
  }

  @Test("Boxes of persons surround the joints, and those of upper bodies are parts of them")
  func humans() async throws {
    let entry: Recorded = try #require(Recorded.all.first { !$0.bodies.isEmpty })
    let bodies = VNDetectHumanBodyPoseRequest()
    let (upper, whole) = (VNDetectHumanRectanglesRequest(), VNDetectHumanRectanglesRequest())
    whole.upperBodyOnly = false
    for request in [bodies, upper, whole] as [VNRequest] { _ = try entry.perform(request) }
    let body = try #require(bodies.results?.first)
    let (part, all) = (try #require(upper.results?.first), try #require(whole.results?.first))
    #expect(part.upperBodyOnly && !all.upperBodyOnly && part.confidence == body.confidence)
    #expect(all.boundingBox.union(part.boundingBox).height <= all.boundingBox.height + 0.05)
    for name in [VNHumanBodyPoseObservation.JointName.nose, .leftShoulder, .rightShoulder] {
      #expect(part.boundingBox.contains(try body.recognizedPoint(name).location))
    }
    let newer = try await DetectHumanRectanglesRequest().perform(on: entry.file)
    #expect(newer.map(\.boundingBox.cgRect) == upper.results?.map(\.boundingBox))
  }

  private static func compare(
    _ found: [CGPoint], _ expected: [[Double]], _ size: CGSize
  ) throws {
    let (xs, ys) = (expected.map { $0[0] }, expected.map { $0[1] })
    let extent = max(
      try #require(xs.max()) - (try #require(xs.min())),
      try #require(ys.max()) - (try #require(ys.min())))
    for (one, other) in zip(found, expected) {
      #expect(abs(Double(one.x * size.width) - other[0]) <= extent / 100)
      #expect(abs(Double((1 - one.y) * size.height) - other[1]) <= extent / 100)
    }
  }

  @Test("The mask of persons covers MediaPipe's share of the photo", arguments: Recorded.all)
  func persons(_ entry: Recorded) throws {
    let request = VNGeneratePersonSegmentationRequest()
    let size: CGSize = try entry.perform(request)
    let mask: CVPixelBuffer = try #require(request.results?.first).pixelBuffer
    #expect(CVPixelBufferGetWidth(mask) == Int(size.width))
    let pixels: [UInt8] = try Picture(mask).pixels
    let share = Double(pixels.reduce(0) { $0 + Int($1) }) / Double(255 * pixels.count)
    #expect(abs(share - entry.share) <= 0.001)
    request.qualityLevel = .fast
    request.outputPixelFormat = kCVPixelFormatType_OneComponent32Float
    _ = try entry.perform(request)
    let small: CVPixelBuffer = try #require(request.results?.first).pixelBuffer
    #expect(max(CVPixelBufferGetWidth(small), CVPixelBufferGetHeight(small)) == 256)
    request.outputPixelFormat = kCVPixelFormatType_32BGRA
    #expect(throws: VNError.self) { _ = try entry.perform(request) }
  }

  @Test("Boxes and joints follow the orientation and the region of interest")
  func orientation() throws {
    let entry: Recorded = try #require(Recorded.all.first { $0.photo.contains("astronaut") })
    let photo = try Picture(contentsOfFile: entry.file.path)
    let turned: Picture = try photo.oriented(.left)
    let request = VNDetectFaceRectanglesRequest()
    try VNImageRequestHandler(cgImage: CGImage(turned), orientation: .right).perform([request])
    let box: CGRect = try #require(request.results?.first).boundingBox
    #expect(abs(Double(box.minX) * Double(photo.width) - entry.faces[0].box[0]) <= 0.2)
    request.regionOfInterest = CGRect(x: 0.25, y: 0.5, width: 0.5, height: 0.5)
    try VNImageRequestHandler(cgImage: CGImage(photo)).perform([request])
    let part: CGRect = try #require(request.results?.first).boundingBox
    let whole = VNImageRectForNormalizedRectUsingRegionOfInterest(
      part, photo.width, photo.height, request.regionOfInterest)
    // The network sees another section of the photo, so the box differs a little.
    #expect(abs(Double(whole.minX) - entry.faces[0].box[0]) <= 10)
    #expect(abs(Double(whole.width) - entry.faces[0].box[2]) <= 20)
  }

  @Test("The newer interface finds the same, one request at a time and all together")
  func newInterface() async throws {
    let entry: Recorded = try #require(Recorded.all.first { $0.photo.contains("mona-lisa") })
    let handler = ImageRequestHandler(entry.file)
    let (faces, hands) = try await handler.perform(
      DetectFaceLandmarksRequest(), DetectHumanHandPoseRequest())
    let older = VNDetectHumanHandPoseRequest()
    _ = try entry.perform(older)
    let hand = try #require(hands.first)
    let wrist = try #require(hand.joint(for: .wrist))
    #expect(try older.results?.first?.recognizedPoint(.wrist).location == wrist.location.cgPoint)
    #expect(hand.allJoints(in: .indexFinger).count == 4)
    #expect(faces.first?.landmarks?.leftEye.points.count == 6)
    let data = try JSONEncoder().encode(hand)
    #expect(try JSONDecoder().decode(HumanHandPoseObservation.self, from: data) == hand)
    let segmentation = GeneratePersonSegmentationRequest()
    segmentation.qualityLevel = .fast
    var results: [VisionResult] = []
    let requests: [any VisionRequest] = [DetectHumanBodyPoseRequest(), segmentation]
    for await result in handler.performAll(requests) { results.append(result) }
    #expect(results.count == 2)
    guard case .detectHumanBodyPose(_, let bodies) = results[0],
      case .generatePersonSegmentation(_, let mask) = results[1]
    else {
      Issue.record("\(results)")
      return
    }
    #expect(bodies.first?.availableJointNames.count == 19)
    // The face is in the upper half of the painting, and the corner is background.
    #expect(mask.pixel(at: NormalizedPoint(x: 0.45, y: 0.7)) > 0.9)
    #expect(mask.pixel(at: NormalizedPoint(x: 0.02, y: 0.98)) < 0.1)
  }
}

/// The results of MediaPipe for a photo.
struct Recorded: Sendable, CustomTestStringConvertible {
  struct Face: Decodable, Sendable {
    let confidence: Float
    let box: [Double]
  }
  private struct Entry: Decodable {
    let faces: [Face]
    let meshes, hands, bodies: [[[Double]]]
    let share: Double
  }

  let photo: String
  let faces: [Face]
  let meshes, hands, bodies: [[[Double]]]
  let share: Double

  var testDescription: String { photo }
  var file: URL { Self.pictures.appendingPathComponent(photo) }

  /// Performs a request on the photo. Returns the photo's size.
  func perform(_ request: VNRequest) throws -> CGSize {
    let picture = try Picture(contentsOfFile: file.path)
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    return CGSize(width: picture.width, height: picture.height)
  }

  private static let here = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent()
  private static let pictures: URL = {
    let shared: URL =
      ProcessInfo.processInfo.environment["ATELIER_SHARED"].map { URL(fileURLWithPath: $0) }
      ?? here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("shared")
    return shared.appendingPathComponent("pictures")
  }()

  /// Whether the photos exist, and the networks are in the cache or can be fetched.
  static let canRun: Bool = {
    guard FileManager.default.fileExists(atPath: pictures.path) else { return false }
    if FetchableModel.vision.isFetched() { return true }
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    defer { try? FileManager.default.removeItem(at: scratch) }
    try? FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    return (try? FetchableModel.vision.fetch(scratch: scratch)) != nil
  }()

  static let all: [Recorded] = {
    guard
      let data = try? Data(contentsOf: here.appendingPathComponent("Expected/landmarks.json")),
      let entries = try? JSONDecoder().decode([String: Entry].self, from: data)
    else { return [] }
    return entries.sorted { $0.key < $1.key }.map { photo, entry in
      Recorded(
        photo: photo, faces: entry.faces, meshes: entry.meshes, hands: entry.hands,
        bodies: entry.bodies, share: entry.share)
    }
  }()
}
