import CoreGraphics

/// A quadrilateral that a request found in an image. Corners are normalised to the region of interest, with the origin
/// at the lower left.
open class VNRectangleObservation: VNDetectedObjectObservation {
  /// The upper left corner.
  public let topLeft: CGPoint
  /// The upper right corner.
  public let topRight: CGPoint
  /// The lower left corner.
  public let bottomLeft: CGPoint
  /// The lower right corner.
  public let bottomRight: CGPoint

  init(
    topLeft: CGPoint, topRight: CGPoint, bottomLeft: CGPoint, bottomRight: CGPoint,
    confidence: VNConfidence
  ) {
    (self.topLeft, self.topRight) = (topLeft, topRight)
    (self.bottomLeft, self.bottomRight) = (bottomLeft, bottomRight)
    let corners: [CGPoint] = [topRight, bottomLeft, bottomRight]
    let box: CGRect = corners.reduce(CGRect(origin: topLeft, size: .zero)) { box, corner in
      box.union(CGRect(origin: corner, size: .zero))
    }
    super.init(boundingBox: box, confidence: confidence)
  }
}
