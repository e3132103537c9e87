import CoreGraphics
import Foundation
import Imaging

/// The only revision of ``VNDetectTextRectanglesRequest``.
public let VNDetectTextRectanglesRequestRevision1: Int = 1

/// A request that finds lines of text without reading them. Results are ``VNTextObservation``s, from top to bottom.
///
/// The network is PaddleOCR's detector, which `atelier fetch vision` downloads once.
open class VNDetectTextRectanglesRequest: VNImageBasedRequest {
  /// Whether the boxes of characters are wanted. The request then also reads the text; the boxes end midway between the
  /// characters.
  public var reportCharacterBoxes: Bool = false

  /// The results of the last run; nil before the first run and after an error.
  public var results: [VNTextObservation]? { found?.compactMap { $0 as? VNTextObservation } }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let picture: Picture = try image.upright(self)
    let detector = try TextDetector(
      picture, shortestSide: VNRequestTextRecognitionLevel.accurate.shortestSide)
    let frame = PictureFrame(picture)
    let lines: [TextLine] = detector.lines
    var readable: [Int] = []
    var cuts: [TextCut] = []
    if reportCharacterBoxes {
      for (index, line) in lines.enumerated() {
        guard let cut = detector.page.cut(line.corners) else { continue }
        readable.append(index)
        cuts.append(cut)
      }
    }
    var texts = [ReadText?](repeating: nil, count: lines.count)
    for (index, text) in zip(
      readable, try TextRecognizer.read(cuts) { try checkCancellation() })
    {
      texts[index] = text
    }
    return try zip(lines, texts).map { line, text in
      let outline = Quadrilateral(detector.pictureCorners(line), in: frame)
      let boxes: [VNRectangleObservation]? = try text.map { text in
        let reading = VNRecognizedText(text, in: outline)
        return try reading.string.indices.compactMap { index in
          try reading.boundingBox(for: index..<reading.string.index(after: index))
        }
      }
      return VNTextObservation(outline, confidence: line.score, characterBoxes: boxes)
    }
  }
}

/// A line of text that was found.
open class VNTextObservation: VNRectangleObservation {
  /// The boxes of the characters. Nil if they are not wanted, or if the line cannot be read.
  public let characterBoxes: [VNRectangleObservation]?

  init(
    _ line: Quadrilateral, confidence: VNConfidence, characterBoxes: [VNRectangleObservation]?
  ) {
    self.characterBoxes = characterBoxes
    super.init(
      topLeft: line.topLeft, topRight: line.topRight, bottomLeft: line.bottomLeft,
      bottomRight: line.bottomRight, confidence: confidence)
  }
}
