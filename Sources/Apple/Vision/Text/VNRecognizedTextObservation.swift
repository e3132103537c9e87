import CoreGraphics

/// A line of text that was found and read.
open class VNRecognizedTextObservation: VNRectangleObservation {
  private let reading: VNRecognizedText

  init(_ reading: VNRecognizedText, in line: Quadrilateral) {
    self.reading = reading
    super.init(
      topLeft: line.topLeft, topRight: line.topRight, bottomLeft: line.bottomLeft,
      bottomRight: line.bottomRight, confidence: reading.confidence)
  }

  /// Returns the readings of the line, the best first. Here, there is one at most.
  open func topCandidates(_ maxCandidateCount: Int) -> [VNRecognizedText] {
    maxCandidateCount < 1 ? [] : [reading]
  }
}
