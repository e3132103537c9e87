import CoreGraphics
import Foundation

/// A reading of a line of text.
public struct RecognizedText: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The text.
  public let string: String
  /// The mean probability of the characters, 0 to 1.
  public let confidence: Float
  /// The box of each character.
  private let boxes: [RectangleObservation]

  init(_ text: VNRecognizedText) {
    (string, confidence) = (text.string, text.confidence)
    let string: String = text.string
    boxes = string.indices.compactMap { index in
      (try? text.boundingBox(for: index..<string.index(after: index)))
        .map(RectangleObservation.init)
    }
  }

  /// Returns the box around a part of the text. Nil for an empty part and for a range outside of the text.
  public func boundingBox(for range: Range<String.Index>) -> RectangleObservation? {
    guard range.lowerBound >= string.startIndex, range.upperBound <= string.endIndex else {
      return nil
    }
    let first: Int = string.distance(from: string.startIndex, to: range.lowerBound)
    let end: Int = string.distance(from: string.startIndex, to: range.upperBound)
    guard first < end, end <= boxes.count else { return nil }
    return RectangleObservation(
      topLeft: boxes[first].topLeft, topRight: boxes[end - 1].topRight,
      bottomRight: boxes[end - 1].bottomRight, bottomLeft: boxes[first].bottomLeft)
  }

  /// The text and its confidence.
  public var description: String { "\"\(string)\", confidence \(confidence)" }
}

/// A line of text that was found and read.
public struct RecognizedTextObservation: VisionObservation, QuadrilateralProviding {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The mean probability of the characters, 0 to 1.
  public let confidence: Float
  /// The box around the line, normalised to the region of interest.
  public let boundingBox: NormalizedRect
  /// The upper left corner.
  public let topLeft: NormalizedPoint
  /// The upper right corner.
  public let topRight: NormalizedPoint
  /// The lower left corner.
  public let bottomLeft: NormalizedPoint
  /// The lower right corner.
  public let bottomRight: NormalizedPoint
  private let readings: [RecognizedText]

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNRecognizedTextObservation) {
    let rectangle = RectangleObservation(observation)
    (uuid, confidence, boundingBox) = (rectangle.uuid, rectangle.confidence, rectangle.boundingBox)
    (topLeft, topRight) = (rectangle.topLeft, rectangle.topRight)
    (bottomLeft, bottomRight) = (rectangle.bottomLeft, rectangle.bottomRight)
    readings = observation.topCandidates(1).map(RecognizedText.init)
  }

  /// Returns the readings of the line, the best first. Here, there is one at most.
  public func topCandidates(_ maxCandidateCount: Int) -> [RecognizedText] {
    Array(readings.prefix(max(0, maxCandidateCount)))
  }

  /// The best reading.
  public var transcript: String { readings.first?.string ?? "" }

  /// The best reading and its box.
  public var description: String { "\"\(transcript)\" in \(boundingBox.cgRect)" }
}

/// A request that finds and reads lines of text. See ``VNRecognizeTextRequest``.
public struct RecognizeTextRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Apple's revision 3. Here, all revisions are equal.
    case revision3
  }

  /// How carefully text is looked for.
  public enum RecognitionLevel: Sendable, Hashable, Codable, CaseIterable {
    /// Small pictures are enlarged.
    case accurate
    /// Small pictures are enlarged less. Small letters are missed.
    case fast
  }

  /// The results.
  public typealias Result = [RecognizedTextObservation]

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// How carefully text is looked for.
  public var recognitionLevel: RecognitionLevel = .accurate
  /// Has no effect: the network reads all of its languages in every picture.
  public var recognitionLanguages: [Locale.Language] = [Locale.Language(identifier: "en-US")]
  /// Has no effect.
  public var customWords: [String] = []
  /// Has no effect: characters are returned as the network read them.
  public var usesLanguageCorrection: Bool = true
  /// Has no effect: the network reads all of its languages in every picture.
  public var automaticallyDetectsLanguage: Bool = false
  /// The least height of a line, as a fraction of the picture's height. 0 for any.
  public var minimumTextHeightFraction: Float = 0
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision3]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision3 }

  /// The languages that the network reads.
  public var supportedRecognitionLanguages: [Locale.Language] {
    TextLanguages.identifiers.map { Locale.Language(identifier: $0) }
  }

  /// Reads text in an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNRecognizeTextRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    request.recognitionLevel = recognitionLevel == .accurate ? .accurate : .fast
    request.minimumTextHeight = minimumTextHeightFraction
    return try request.observations(in: image.image)
      .compactMap { $0 as? VNRecognizedTextObservation }.map(RecognizedTextObservation.init)
  }
}
