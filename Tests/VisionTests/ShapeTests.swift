import CoreGraphics
import CoreVideo
import Foundation
import Imaging
import Testing
import Vision

/// Tests requests without networks: rectangles, documents, saliency, registration and flow.
@Suite("Shapes and motion")
struct ShapeTests {
  /// Makes a picture from a function of column and row that returns red, green and blue.
  private static func picture(
    _ width: Int, _ height: Int, _ colour: (Int, Int) -> (UInt8, UInt8, UInt8)
  ) throws -> Picture {
    try Picture(width: width, height: height) { pixels in
      for index in 0..<width * height {
        let (red, green, blue) = colour(index % width, index / width)
        pixels[index * 3] = red
        pixels[index * 3 + 1] = green
        pixels[index * 3 + 2] = blue
      }
    }
  }

  /// Whether a point lies inside of a convex polygon with clockwise corners.
  private static func contains(_ corners: [CGPoint], _ x: Int, _ y: Int) -> Bool {
    corners.indices.allSatisfy { index in
      let (one, other) = (corners[index], corners[(index + 1) % corners.count])
      return (other.x - one.x) * (CGFloat(y) + 0.5 - one.y)
        - (other.y - one.y) * (CGFloat(x) + 0.5 - one.x) >= 0
    }
  }

  private static let card: [CGPoint] = [
    CGPoint(x: 60, y: 50), CGPoint(x: 240, y: 70), CGPoint(x: 228, y: 180), CGPoint(x: 52, y: 168),
  ]

  /// A light card on a dark, uneven ground.
  private static func scene() throws -> Picture {
    try picture(320, 240) { x, y in
      let ground = UInt8(40 + (x * 7 + y * 13) % 23)
      return contains(card, x, y) ? (225, 220, 200) : (ground, ground, ground)
    }
  }

  private static func corners(_ rectangle: VNRectangleObservation, _ picture: Picture) -> [CGPoint]
  {
    [rectangle.topLeft, rectangle.topRight, rectangle.bottomRight, rectangle.bottomLeft].map {
      CGPoint(x: $0.x * CGFloat(picture.width), y: (1 - $0.y) * CGFloat(picture.height))
    }
  }

  @Test("A card is found with its corners within 2 pixels, in both interfaces")
  func card() async throws {
    let picture: Picture = try Self.scene()
    let request = VNDetectRectanglesRequest()
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    let found = try #require(request.results?.first)
    #expect(request.results?.count == 1 && found.confidence > 0.9)
    for (corner, expected) in zip(Self.corners(found, picture), Self.card) {
      #expect(hypot(corner.x - expected.x, corner.y - expected.y) <= 2)
    }
    let newer = try await DetectRectanglesRequest().perform(on: CGImage(picture))
    #expect(newer.map(\.topLeft.cgPoint) == [found.topLeft])
    let document = VNDetectDocumentSegmentationRequest()
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([document])
    #expect(document.results?.first?.topLeft == found.topLeft)
  }

  @Test("Limits of size, ratio and angle leave rectangles out")
  func limits() throws {
    let image = CGImage(try Self.scene())
    func count(_ change: (VNDetectRectanglesRequest) -> Void) throws -> Int {
      let request = VNDetectRectanglesRequest()
      change(request)
      try VNImageRequestHandler(cgImage: image).perform([request])
      return request.results?.count ?? -1
    }
    #expect(try count { $0.minimumSize = 0.8 } == 0)
    #expect(try count { $0.minimumAspectRatio = 0.9 } == 0)
    #expect(try count { $0.quadratureTolerance = 0.5 } == 0)
    #expect(try count { $0.minimumConfidence = 1 } == 0)
    #expect(try count { _ in } == 1)
  }

  @Test("A spot of another colour is the most salient part")
  func saliency() async throws {
    let picture: Picture = try Self.picture(300, 200) { x, y in
      (200..<240).contains(x) && (40..<70).contains(y)
        ? (220, 40, 30) : (UInt8(90 + x % 3), 120, UInt8(100 + y % 3))
    }
    let middle = CGPoint(x: 220.0 / 300, y: 1 - 55.0 / 200)
    let attention = VNGenerateAttentionBasedSaliencyImageRequest()
    let objects = VNGenerateObjectnessBasedSaliencyImageRequest()
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([attention, objects])
    for found in [attention.results?.first, objects.results?.first] {
      let map = try #require(found)
      #expect(CVPixelBufferGetWidth(map.pixelBuffer) == 68)
      let boxes = try #require(map.salientObjects)
      #expect(boxes.first?.boundingBox.contains(middle) == true)
      #expect(try #require(boxes.first).boundingBox.width < 0.4)
    }
    let newer = try await GenerateAttentionBasedSaliencyImageRequest().perform(on: CGImage(picture))
    #expect(newer.heatMap.pixel(at: NormalizedPoint(normalizedPoint: middle)) > 0.5)
    #expect(newer.heatMap.pixel(at: NormalizedPoint(x: 0.1, y: 0.1)) < 0.2)
    let plain: Picture = try Self.picture(80, 60) { _, _ in (70, 70, 70) }
    try VNImageRequestHandler(cgImage: CGImage(plain)).perform([attention])
    #expect(attention.results?.first?.salientObjects?.isEmpty == true)
  }

  /// A picture of smooth random shades, moved by a distance. Shades of a position are the same in all such pictures.
  private static func shades(_ width: Int, _ height: Int, dx: Double, dy: Double) throws -> Picture
  {
    func value(_ x: Double, _ y: Double) -> Double {
      sin(x * 0.11) + cos(y * 0.083 + x * 0.02) + sin((x + y) * 0.045) + cos(x * 0.031 - y * 0.13)
        + 0.7 * sin(x * 0.37 + y * 0.29)
    }
    return try picture(width, height) { x, y in
      let shade = UInt8(128 + 24 * value(Double(x) - dx, Double(y) - dy))
      return (shade, shade, shade)
    }
  }

  @Test(
    "Images are aligned to a fraction of a pixel, whatever their brightness",
    arguments: [(0.0, 0.0), (12, -7), (-31.5, 20.25), (70, 48)])
  func registration(dx: Double, dy: Double) throws {
    let still: Picture = try Self.shades(240, 180, dx: 0, dy: 0)
    var moved: Picture = try Self.shades(240, 180, dx: dx, dy: dy)
    moved = try Picture(width: 240, height: 180, pixels: moved.pixels.map { $0 / 2 + 60 })
    let request = VNTranslationalImageRegistrationRequest(targetedCGImage: CGImage(still))
    try VNImageRequestHandler(cgImage: CGImage(moved)).perform([request])
    let found = try #require(request.results?.first)
    // The content moved to the right and down, and the transform's vertical axis goes up.
    #expect(abs(Double(found.alignmentTransform.tx) - dx) < 0.3)
    #expect(abs(Double(found.alignmentTransform.ty) + dy) < 0.3)
    #expect(found.confidence > 0.95)
  }

  @Test("The flow of a moved image is its movement, and sizes must agree")
  func flow() throws {
    let still: Picture = try Self.shades(200, 150, dx: 0, dy: 0)
    let moved: Picture = try Self.shades(200, 150, dx: 3, dy: -2)
    let request = VNGenerateOpticalFlowRequest(targetedCGImage: CGImage(still))
    try VNImageRequestHandler(cgImage: CGImage(moved)).perform([request])
    let buffer: CVPixelBuffer = try #require(request.results?.first).pixelBuffer
    #expect(CVPixelBufferGetWidth(buffer) == 200 && CVPixelBufferGetHeight(buffer) == 150)
    let rows = try #require(CVPixelBufferGetBaseAddress(buffer))
    for y in stride(from: 30, to: 120, by: 15) {
      let line = (rows + y * CVPixelBufferGetBytesPerRow(buffer)).assumingMemoryBound(
        to: Float.self)
      for x in stride(from: 30, to: 170, by: 20) {
        #expect(abs(line[2 * x] - 3) < 0.5 && abs(line[2 * x + 1] + 2) < 0.5)
      }
    }
    let small: Picture = try Self.shades(100, 150, dx: 0, dy: 0)
    let error = #expect(throws: VNError.self) {
      try VNImageRequestHandler(cgImage: CGImage(small)).perform([request])
    }
    #expect(error?.localizedDescription.contains("the target is 200 × 150") == true)
    request.outputPixelFormat = kCVPixelFormatType_32BGRA
    #expect(throws: VNError.self) {
      try VNImageRequestHandler(cgImage: CGImage(moved)).perform([request])
    }
  }
}
