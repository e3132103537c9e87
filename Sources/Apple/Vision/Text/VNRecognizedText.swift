import CoreGraphics
import Foundation

/// A reading of a line of text.
open class VNRecognizedText: NSObject, @unchecked Sendable {
  /// The text.
  public let string: String
  /// The mean probability of the characters, 0 to 1.
  public let confidence: VNConfidence
  private let line: Quadrilateral
  /// The position of each character's middle in the line, 0 (left) to 1.
  private let positions: [CGFloat]

  init(_ text: ReadText, in line: Quadrilateral) {
    string = text.string
    confidence = text.confidence
    self.line = line.turned(to: text.direction)
    // A character of the network's list can have more than one character of Swift, and Swift can join two of them.
    positions = text.characters.flatMap { entry in
      [CGFloat](
        repeating: min(1, (CGFloat(entry.column) + 0.5) / CGFloat(text.columns)),
        count: entry.text.unicodeScalars.count)
    }
  }

  /// Returns the box around a part of the text. It ends midway between the characters on both sides of its ends, so it
  /// is not exact. Nil for an empty part.
  ///
  /// - Throws: ``VNError`` when the range is outside of the text.
  open func boundingBox(for range: Range<String.Index>) throws -> VNRectangleObservation? {
    guard range.lowerBound >= string.startIndex, range.upperBound <= string.endIndex else {
      throw VNError(.outOfBoundsError, "The range lies outside of the text \"\(string)\".")
    }
    guard let part = quadrilateral(of: range) else { return nil }
    return VNRectangleObservation(
      topLeft: part.topLeft, topRight: part.topRight, bottomLeft: part.bottomLeft,
      bottomRight: part.bottomRight, confidence: confidence)
  }

  /// Returns the part of the line with a range of characters. Nil for an empty range.
  func quadrilateral(of range: Range<String.Index>) -> Quadrilateral? {
    let scalars: String.UnicodeScalarView = string.unicodeScalars
    let first: Int = scalars.distance(from: scalars.startIndex, to: range.lowerBound)
    let end: Int = scalars.distance(from: scalars.startIndex, to: range.upperBound)
    guard first < end, end <= positions.count else { return nil }
    let left: CGFloat = first == 0 ? 0 : (positions[first - 1] + positions[first]) / 2
    let right: CGFloat = end == positions.count ? 1 : (positions[end - 1] + positions[end]) / 2
    return line.part(from: left, to: right)
  }
}

/// The corners of a line, normalised to the region of interest, with the origin at the lower left.
struct Quadrilateral: Hashable, Sendable {
  let topLeft: CGPoint
  let topRight: CGPoint
  let bottomLeft: CGPoint
  let bottomRight: CGPoint

  /// - Parameter corners: The upper left, upper right, lower right and lower left corner, in pixels from the top left.
  init(_ corners: [CGPoint], in frame: PictureFrame) {
    (topLeft, topRight) = (frame.normalized(corners[0]), frame.normalized(corners[1]))
    (bottomRight, bottomLeft) = (frame.normalized(corners[2]), frame.normalized(corners[3]))
  }

  private init(
    topLeft: CGPoint, topRight: CGPoint, bottomLeft: CGPoint, bottomRight: CGPoint
  ) {
    (self.topLeft, self.topRight) = (topLeft, topRight)
    (self.bottomLeft, self.bottomRight) = (bottomLeft, bottomRight)
  }

  /// Returns the same corners with the names that they have for a reader of text that runs in a direction.
  func turned(to direction: TextDirection) -> Quadrilateral {
    let corners: [CGPoint] = [topLeft, topRight, bottomRight, bottomLeft]
    func corner(_ index: Int) -> CGPoint { corners[(index + direction.rawValue) % 4] }
    return Quadrilateral(
      topLeft: corner(0), topRight: corner(1), bottomLeft: corner(3), bottomRight: corner(2))
  }

  /// Returns a part along the line, between the fractions `start` and `end` of its length.
  func part(from start: CGFloat, to end: CGFloat) -> Quadrilateral {
    func between(_ one: CGPoint, _ other: CGPoint, _ part: CGFloat) -> CGPoint {
      CGPoint(x: one.x + (other.x - one.x) * part, y: one.y + (other.y - one.y) * part)
    }
    return Quadrilateral(
      topLeft: between(topLeft, topRight, start), topRight: between(topLeft, topRight, end),
      bottomLeft: between(bottomLeft, bottomRight, start),
      bottomRight: between(bottomLeft, bottomRight, end))
  }
}
