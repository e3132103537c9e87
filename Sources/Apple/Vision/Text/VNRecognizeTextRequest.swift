import CoreGraphics
import Foundation
import Imaging

/// The first revision of ``VNRecognizeTextRequest``. Here, all revisions are equal.
public let VNRecognizeTextRequestRevision1: Int = 1
/// The second revision of ``VNRecognizeTextRequest``.
public let VNRecognizeTextRequestRevision2: Int = 2
/// The third revision of ``VNRecognizeTextRequest``.
public let VNRecognizeTextRequestRevision3: Int = 3

/// How carefully text is looked for. Raw values are Apple's.
public enum VNRequestTextRecognitionLevel: Int, Sendable, Hashable, Codable {
  /// Small pictures are enlarged until their shorter side has 736 pixels.
  case accurate = 0
  /// Small pictures are enlarged until their shorter side has 320 pixels. Small letters are missed.
  case fast = 1

  var shortestSide: Int { self == .accurate ? 736 : 320 }
}

/// A request that finds and reads lines of text. Results are ``VNRecognizedTextObservation``s, from top to bottom.
///
/// The networks are PaddleOCR's PP-OCRv4 for English and Chinese, which `atelier fetch vision` downloads once. They read
/// no other script; letters with accents lose them.
open class VNRecognizeTextRequest: VNImageBasedRequest {
  /// How carefully text is looked for.
  public var recognitionLevel: VNRequestTextRecognitionLevel = .accurate
  /// Has no effect: the network reads all of its languages in every picture.
  public var recognitionLanguages: [String] = ["en-US"]
  /// Has no effect.
  public var customWords: [String] = []
  /// Has no effect: characters are returned as the network read them.
  public var usesLanguageCorrection: Bool = true
  /// Has no effect: the network reads all of its languages in every picture.
  public var automaticallyDetectsLanguage: Bool = false
  /// The least height of a line, as a fraction of the picture's height. 0 for any.
  public var minimumTextHeight: Float = 0

  /// The least mean probability of a line's characters.
  private static let leastConfidence: Float = 0.5

  /// The results of the last run; nil before the first run and after an error.
  public var results: [VNRecognizedTextObservation]? {
    found?.compactMap { $0 as? VNRecognizedTextObservation }
  }

  /// The languages that the network reads.
  open func supportedRecognitionLanguages() throws -> [String] { TextLanguages.identifiers }

  /// The languages that the network reads.
  open class func supportedRecognitionLanguages(
    for recognitionLevel: VNRequestTextRecognitionLevel, revision requestRevision: Int
  ) throws -> [String] {
    guard supportedRevisions.contains(requestRevision) else {
      throw VNError(
        .unsupportedRevision, "Revision \(requestRevision) does not exist, expected 1 to 3.")
    }
    return TextLanguages.identifiers
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let picture: Picture = try image.upright(self)
    let detector = try TextDetector(picture, shortestSide: recognitionLevel.shortestSide)
    let frame = PictureFrame(picture)
    let lines: [(outline: Quadrilateral, cut: TextCut)] = detector.lines.compactMap { line in
      let outline = Quadrilateral(detector.pictureCorners(line), in: frame)
      let height: CGFloat = hypot(
        (outline.topLeft.x - outline.bottomLeft.x) * CGFloat(picture.width),
        (outline.topLeft.y - outline.bottomLeft.y) * CGFloat(picture.height))
      guard height >= CGFloat(minimumTextHeight) * CGFloat(picture.height),
        let cut = detector.page.cut(line.corners)
      else { return nil }
      return (outline, cut)
    }
    let texts: [ReadText?] = try TextRecognizer.read(lines.map(\.cut)) { try checkCancellation() }
    return zip(lines, texts).compactMap { line, text in
      guard let text, text.confidence >= Self.leastConfidence else { return nil }
      return VNRecognizedTextObservation(VNRecognizedText(text, in: line.outline), in: line.outline)
    }
  }

  /// The supported revisions of the request's algorithm.
  override open class var supportedRevisions: IndexSet { IndexSet(1...3) }
  /// The revision of new requests.
  override open class var defaultRevision: Int { 3 }
  /// The newest revision of the request's algorithm.
  override open class var currentRevision: Int { 3 }
}

/// The languages that the network for text reads.
enum TextLanguages {
  static let identifiers: [String] = ["en-US", "zh-Hans", "zh-Hant"]
}
