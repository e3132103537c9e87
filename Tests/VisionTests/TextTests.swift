import CoreGraphics
import Foundation
import Imaging
import Testing
import Vision

/// Compares requests for text with RapidOCR 1.4.4, which runs the same networks with ONNX Runtime.
/// `Expected/make_text.py` drew the pictures and recorded its results.
@Suite("RapidOCR's answers", .enabled(if: Recorded.canRun), .serialized)
struct TextTests {
  private struct Line: Decodable {
    let text: String
    let confidence: Double
    let corners: [[Double]]
  }
  private struct Page: Decodable {
    let picture: String
    let lines: [Line]
  }

  private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("Expected")
  private static let names = ["text-receipt.png", "text-sign.png", "text-strip.png"]

  private static func page(_ name: String) throws -> Page {
    let data = try Data(contentsOf: folder.appendingPathComponent("text.json"))
    return try #require(
      try JSONDecoder().decode([Page].self, from: data).first { $0.picture == name })
  }

  @Test("Lines have RapidOCR's text, and its corners within 2 pixels", arguments: names)
  func lines(_ name: String) throws {
    let page: Page = try Self.page(name)
    let file: URL = Self.folder.appendingPathComponent(name)
    let picture = try Picture(contentsOf: file)
    let request = VNRecognizeTextRequest()
    try VNImageRequestHandler(url: file).perform([request])
    let found: [VNRecognizedTextObservation] = try #require(request.results)
    #expect(found.map { $0.topCandidates(1).first?.string } == page.lines.map(\.text))
    for (line, expected) in zip(found, page.lines) {
      #expect(abs(Double(line.confidence) - expected.confidence) <= 0.05)
      for (corner, other) in zip(
        [line.topLeft, line.topRight, line.bottomRight, line.bottomLeft], expected.corners)
      {
        #expect(abs(Double(corner.x) * Double(picture.width) - other[0]) <= 2)
        #expect(abs(Double(1 - corner.y) * Double(picture.height) - other[1]) <= 2)
      }
    }
  }

  @Test("The box of a part of the text lies in the line, between its neighbours")
  func parts() throws {
    let request = VNRecognizeTextRequest()
    try VNImageRequestHandler(url: Self.folder.appendingPathComponent("text-receipt.png"))
      .perform([request])
    let line = try #require(
      request.results?.first { $0.topCandidates(1).first?.string.contains("juice") == true })
    let text: VNRecognizedText = try #require(line.topCandidates(1).first)
    let juice = try #require(text.string.range(of: "juice"))
    let box = try #require(try text.boundingBox(for: juice)).boundingBox
    #expect(box.minX >= line.boundingBox.minX && box.maxX <= line.boundingBox.maxX + 1e-6)
    #expect(abs(box.minY - line.boundingBox.minY) < 1e-6)
    // "Orange juice" begins at column 40 of 420; "juice" is its second half.
    #expect(box.minX > line.boundingBox.midX - 0.03)
    #expect(abs(box.maxX - line.boundingBox.maxX) < 1e-6)
    #expect(try text.boundingBox(for: juice.lowerBound..<juice.lowerBound) == nil)
    #expect(line.topCandidates(0).isEmpty)
  }

  @Test("Small text is left out if a least height is set, and every region has its own coordinates")
  func heightAndRegion() throws {
    let file: URL = Self.folder.appendingPathComponent("text-receipt.png")
    let request = VNRecognizeTextRequest()
    request.minimumTextHeight = 0.045
    try VNImageRequestHandler(url: file).perform([request])
    let tall: [String] = (request.results ?? []).compactMap { $0.topCandidates(1).first?.string }
    #expect(tall.contains { $0.hasPrefix("ATELIER") } && !tall.contains { $0.contains("48213") })
    request.minimumTextHeight = 0
    // The lower quarter of the receipt.
    request.regionOfInterest = CGRect(x: 0, y: 0, width: 1, height: 0.25)
    try VNImageRequestHandler(url: file).perform([request])
    let lower: [String] = (request.results ?? []).compactMap { $0.topCandidates(1).first?.string }
    #expect(lower.contains { $0.contains("48213") } && !lower.contains { $0.contains("Espresso") })
  }

  @Test("Rectangles of text are those of the lines, with a box for each character")
  func rectangles() throws {
    let file: URL = Self.folder.appendingPathComponent("text-receipt.png")
    let request = VNDetectTextRectanglesRequest()
    request.reportCharacterBoxes = true
    try VNImageRequestHandler(url: file).perform([request])
    let found: [VNTextObservation] = try #require(request.results)
    #expect(found.count == (try Self.page("text-receipt.png").lines.count))
    let price: VNTextObservation = found[2]
    let boxes: [VNRectangleObservation] = try #require(price.characterBoxes)
    #expect(boxes.count == 4)
    #expect(zip(boxes, boxes.dropFirst()).allSatisfy { $0.boundingBox.midX < $1.boundingBox.midX })
  }

  @Test("The newer interface reads the same text")
  func newInterface() async throws {
    let file: URL = Self.folder.appendingPathComponent("text-sign.png")
    let found: [RecognizedTextObservation] = try await RecognizeTextRequest().perform(on: file)
    #expect(found.map(\.transcript) == (try Self.page("text-sign.png").lines.map(\.text)))
    let line = try #require(found.first { $0.transcript.contains("Museum") })
    let text: RecognizedText = try #require(line.topCandidates(1).first)
    let number = try #require(text.string.range(of: "350"))
    let part: RectangleObservation = try #require(text.boundingBox(for: number))
    #expect(part.topLeft.x > line.topLeft.x && part.topRight.x < line.topRight.x)
    let data: Data = try JSONEncoder().encode(found[0])
    #expect(
      try JSONDecoder().decode(RecognizedTextObservation.self, from: data) == found[0])
  }

  @Test("Turned text is read, and its parts follow the direction in which it is read")
  func turned() throws {
    let picture = try Picture(contentsOf: Self.folder.appendingPathComponent("text-receipt.png"))
    // Text that runs to the left, down and up, with the distance from its start to its end.
    let rotations: [(orientation: CGImagePropertyOrientation, x: Double, y: Double)] = [
      (.down, -1, 0), (.right, 0, -1), (.left, 0, 1),
    ]
    for rotation in rotations {
      let request = VNRecognizeTextRequest()
      try VNImageRequestHandler(cgImage: CGImage(picture), orientation: rotation.orientation)
        .perform([request])
      let lines: [VNRecognizedTextObservation] = try #require(request.results)
      let texts: [VNRecognizedText] = lines.compactMap { $0.topCandidates(1).first }
      #expect(Set(texts.map(\.string)).isSuperset(of: ["Croissant", "Espresso", "Total", "8.15"]))
      let text = try #require(texts.first { $0.string == "Orange juice" })
      func centre(_ part: String) throws -> CGPoint {
        let range = try #require(text.string.range(of: part))
        let box = try #require(try text.boundingBox(for: range)).boundingBox
        return CGPoint(x: box.midX, y: box.midY)
      }
      let (start, end) = (try centre("Orange"), try centre("juice"))
      #expect(rotation.x == 0 ? abs(end.x - start.x) < 0.01 : (end.x - start.x) * rotation.x > 0.1)
      #expect(rotation.y == 0 ? abs(end.y - start.y) < 0.01 : (end.y - start.y) * rotation.y > 0.1)
    }
  }

  @Test("A picture without text has no lines")
  func nothing() throws {
    let plain = try Picture(width: 200, height: 100, pixels: [UInt8](repeating: 128, count: 60_000))
    let request = VNRecognizeTextRequest()
    try VNImageRequestHandler(cgImage: CGImage(plain)).perform([request])
    #expect(request.results?.isEmpty == true)
  }
}
