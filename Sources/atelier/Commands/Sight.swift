import CoreGraphics
import Foundation
import Imaging
import Vision

/// The results of Vision's requests for a photo. Encodes as JSON, with positions in pixels from the top left corner.
struct Sight: Encodable {
  /// A face with its landmarks by region.
  struct Face: Encodable {
    let confidence: Float
    let box: PixelRect
    /// The rotation in the plane of the photo, in radians, counter-clockwise.
    let roll: Double?
    let landmarks: [String: [[Double]]]?
  }

  /// A hand with the positions of its joints.
  struct Hand: Encodable {
    let confidence: Float
    let side: String
    let joints: [String: [Double]]
  }

  /// A body with its joints.
  struct Body: Encodable {
    let confidence: Float
    /// For each joint its position and its confidence.
    let joints: [String: [Double]]
  }

  /// All persons together.
  struct Persons: Encodable {
    /// The share of the photo that shows persons, 0 to 1.
    let share: Double
  }

  /// A barcode or QR code.
  struct Code: Encodable {
    let kind: String
    let text: String?
    /// The corners: upper left, upper right, lower right, lower left.
    let corners: [[Double]]
  }

  /// A line of text.
  struct Line: Encodable {
    let text: String
    let confidence: Float
    /// The corners: upper left, upper right, lower right, lower left.
    let corners: [[Double]]
  }

  let width: Int
  let height: Int
  private(set) var faces: [Face]?
  private(set) var hands: [Hand]?
  private(set) var bodies: [Body]?
  private(set) var persons: Persons?
  private(set) var barcodes: [Code]?
  private(set) var text: [Line]?
  /// The shortest time of each request in milliseconds. Nil if times were not measured.
  private(set) var milliseconds: [String: Double]?
  private(set) var mask: CVPixelBuffer?

  private enum CodingKeys: CodingKey {
    case width, height, faces, hands, bodies, persons, barcodes, text, milliseconds
  }

  /// Performs the requests on a photo.
  ///
  /// - Parameter measures: Whether to run each request several times and to record the shortest time.
  init(_ picture: Picture, _ things: Set<SeeCommand.Thing>, measures: Bool) throws {
    (width, height) = (picture.width, picture.height)
    let handler = VNImageRequestHandler(cgImage: CGImage(picture))
    var times: [String: Double] = [:]
    func perform(_ request: VNRequest, _ name: String) throws {
      try handler.perform([request])
      guard measures else { return }
      let clock = ContinuousClock()
      let shortest: Duration =
        try (0..<5).map { _ in
          try clock.measure { try handler.perform([request]) }
        }.min() ?? .zero
      times[name] = shortest / .milliseconds(1)
    }
    if things.contains(.faces) {
      if measures { try perform(VNDetectFaceRectanglesRequest(), "face boxes") }
      let request = VNDetectFaceLandmarksRequest()
      try perform(request, "face landmarks")
      faces = (request.results ?? []).map { face in
        Face(
          confidence: face.confidence, box: PixelRect(face.boundingBox, in: picture),
          roll: face.roll?.doubleValue, landmarks: face.landmarks.map { Self.regions($0, picture) })
      }
    }
    if things.contains(.hands) {
      let request = VNDetectHumanHandPoseRequest()
      try perform(request, "hands")
      hands = (request.results ?? []).map { hand in
        Hand(
          confidence: hand.confidence, side: hand.chirality == .left ? "left" : "right",
          joints: Self.joints(hand, picture).mapValues { Array($0.prefix(2)) })
      }
    }
    if things.contains(.bodies) {
      let request = VNDetectHumanBodyPoseRequest()
      try perform(request, "bodies")
      bodies = (request.results ?? []).map { body in
        Body(confidence: body.confidence, joints: Self.joints(body, picture))
      }
    }
    if things.contains(.persons) {
      let request = VNGeneratePersonSegmentationRequest()
      try perform(request, "persons")
      mask = request.results?.first?.pixelBuffer
      if let mask {
        let pixels: [UInt8] = try Picture(mask).pixels
        let sum: Int = pixels.reduce(0) { $0 + Int($1) }
        persons = Persons(share: Double(sum) / Double(255 * pixels.count))
      }
    }
    if things.contains(.barcodes) {
      let request = VNDetectBarcodesRequest()
      do {
        try perform(request, "barcodes")
        barcodes = (request.results ?? []).map { Self.code($0, picture) }
      } catch let error as VNError where error.code == .dataUnavailable && things.count > 1 {
        Output.errorLine(sentence(of: error))
      }
    }
    if things.contains(.text) {
      let request = VNRecognizeTextRequest()
      try perform(request, "text")
      text = (request.results ?? []).compactMap { line in
        line.topCandidates(1).first.map { reading in
          Line(
            text: reading.string, confidence: reading.confidence,
            corners: Self.corners(line, picture))
        }
      }
    }
    if measures { milliseconds = times }
  }

  /// The results as lines of text.
  var lines: [String] {
    var lines: [String] = []
    func percent(_ value: Float) -> String { "\((Double(value) * 100).text(decimals: 1)) %" }
    for face in faces ?? [] {
      lines.append(
        "face    \(percent(face.confidence))  \(face.box.text)"
          + (face.landmarks == nil ? "" : ", with landmarks"))
    }
    for hand in hands ?? [] { lines.append("hand    \(percent(hand.confidence))  \(hand.side)") }
    for body in bodies ?? [] {
      let seen: Int = body.joints.values.filter { $0[2] > 0.5 }.count
      lines.append(
        "body    \(percent(body.confidence))  \(seen) of \(body.joints.count) joints visible")
    }
    if let persons {
      lines.append("persons \((persons.share * 100).text(decimals: 1)) % of the photo")
    }
    for code in barcodes ?? [] {
      lines.append("code    \(code.kind)  \(code.text ?? "(not text)")")
    }
    for line in text ?? [] {
      lines.append("text    \(percent(line.confidence))  \(line.text)")
    }
    for (name, time) in (milliseconds ?? [:]).sorted(by: { $0.key < $1.key }) {
      lines.append("\(time.text(decimals: 1)) ms  \(name)")
    }
    return lines
  }

  /// Draws the results on the photo: faces red with green landmarks, hands yellow, bodies blue, barcodes magenta, lines of
  /// text green.
  func drawing(on picture: Picture) throws -> Picture {
    var canvas = PictureCanvas(picture)
    let colours: [[UInt8]] = PictureCanvas.colours
    func points(_ rows: [[Double]]) -> [CGPoint] { rows.map { CGPoint(x: $0[0], y: $0[1]) } }
    for body in bodies ?? [] {
      for chain in Self.chains {
        canvas.path(points(chain.compactMap { body.joints[$0] }), colours[2])
      }
      canvas.points(points(body.joints.values.map { $0 }), colours[5])
    }
    for face in faces ?? [] {
      canvas.outline(face.box.cgRect, colours[0])
      for (name, region) in face.landmarks ?? [:] where name != "allPoints" {
        canvas.points(points(region), colours[1])
      }
    }
    for hand in hands ?? [] {
      for finger in ["thumb", "index", "middle", "ring", "little"] {
        let joints: [String] =
          finger == "thumb" ? ["CMC", "MP", "IP", "Tip"] : ["MCP", "PIP", "DIP", "Tip"]
        canvas.path(
          points((["wrist"] + joints.map { finger + $0 }).compactMap { hand.joints[$0] }),
          colours[3])
      }
    }
    for code in barcodes ?? [] {
      canvas.path(points(code.corners + code.corners.prefix(1)), colours[4])
    }
    for line in text ?? [] {
      canvas.path(points(line.corners + line.corners.prefix(1)), colours[1])
    }
    return try canvas.picture()
  }

  /// The chains of joints of a body that are drawn as connected lines.
  private static let chains: [[String]] = [
    ["leftAnkle", "leftKnee", "leftHip", "root", "rightHip", "rightKnee", "rightAnkle"],
    [
      "leftWrist", "leftElbow", "leftShoulder", "neck", "rightShoulder", "rightElbow", "rightWrist",
    ],
    ["root", "neck", "nose"],
  ]

  private static func code(_ code: VNBarcodeObservation, _ picture: Picture) -> Code {
    Code(
      kind: BarcodeObservation(code).symbology.rawValue, text: code.payloadStringValue,
      corners: corners(code, picture))
  }

  private static func corners(
    _ rectangle: VNRectangleObservation, _ picture: Picture
  ) -> [[Double]] {
    let corners: [CGPoint] = [
      rectangle.topLeft, rectangle.topRight, rectangle.bottomRight, rectangle.bottomLeft,
    ]
    return corners.map {
      [Double($0.x) * Double(picture.width), (1 - Double($0.y)) * Double(picture.height)]
    }
  }

  private static func regions(
    _ landmarks: VNFaceLandmarks2D, _ picture: Picture
  ) -> [String: [[Double]]] {
    let all: [String: VNFaceLandmarkRegion2D?] = [
      "faceContour": landmarks.faceContour, "leftEye": landmarks.leftEye,
      "rightEye": landmarks.rightEye, "leftEyebrow": landmarks.leftEyebrow,
      "rightEyebrow": landmarks.rightEyebrow, "nose": landmarks.nose,
      "noseCrest": landmarks.noseCrest, "medianLine": landmarks.medianLine,
      "outerLips": landmarks.outerLips, "innerLips": landmarks.innerLips,
      "leftPupil": landmarks.leftPupil, "rightPupil": landmarks.rightPupil,
    ]
    let size = CGSize(width: picture.width, height: picture.height)
    return all.compactMapValues { $0 }.mapValues { region in
      region.pointsInImage(imageSize: size).map { [Double($0.x), Double(size.height - $0.y)] }
    }
  }

  private static func joints(
    _ hand: VNHumanHandPoseObservation, _ picture: Picture
  ) -> [String: [Double]] {
    named(
      HumanHandPoseObservation(hand).allJoints().map { ($0.key.rawValue, $0.value) }, picture)
  }

  private static func joints(
    _ body: VNHumanBodyPoseObservation, _ picture: Picture
  ) -> [String: [Double]] {
    named(
      HumanBodyPoseObservation(body).allJoints().map { ($0.key.rawValue, $0.value) }, picture)
  }

  private static func named(
    _ joints: [(String, Joint)], _ picture: Picture
  ) -> [String: [Double]] {
    let size = CGSize(width: picture.width, height: picture.height)
    return Dictionary(
      uniqueKeysWithValues: joints.map { name, joint in
        let point: CGPoint = joint.location.toImageCoordinates(size, origin: .upperLeft)
        return (name, [Double(point.x), Double(point.y), Double(joint.confidence)])
      })
  }
}
