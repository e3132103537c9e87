import CoreGraphics
import Imaging
import ModelTools

/// The 468 points of a face, in pixels of the picture with the origin at the top left.
struct FaceMesh {
  /// The positions.
  let points: [CGPoint]
  /// The distances from the face's centre towards the back of the head, in pixels.
  let depths: [CGFloat]
  /// The confidence that the region shows a face, 0 to 1.
  let score: Float

  private static let pointCount = 468

  /// Finds the points of a face.
  ///
  /// - Parameters:
  ///   - box: The face's box, in pixels.
  ///   - rotation: The rotation of the face in radians, clockwise.
  init(_ picture: Picture, box: CGRect, rotation: CGFloat) throws {
    let region = SampledRegion(
      centre: CGPoint(x: box.midX, y: box.midY), width: box.width, height: box.height,
      rotation: rotation
    ).squared(scale: 1.5)
    let network: LandmarkNetwork = try .opened(.faceLandmarks)
    let outputs: [[Float]] = try network.run(picture, region, range: 0...1, border: .nearest)
    guard outputs.count == 2, outputs[0].count == 3 * Self.pointCount, outputs[1].count == 1 else {
      throw VNError(
        .invalidModel,
        "The network for landmarks of faces has other outputs than expected. Fetch it again: `atelier"
          + " fetch vision --force`.")
    }
    let side = CGFloat(network.side)
    points = (0..<Self.pointCount).map { index in
      region.point(CGFloat(outputs[0][3 * index]) / side, CGFloat(outputs[0][3 * index + 1]) / side)
    }
    depths = (0..<Self.pointCount).map { CGFloat(outputs[0][3 * $0 + 2]) / side * region.width }
    score = sigmoid(outputs[1][0])
  }

  /// The rotation of a detected face, from the line between its eyes.
  static func rotation(_ face: Detection) -> CGFloat {
    SampledRegion.rotation(from: face.points[0], to: face.points[1], target: 0)
  }
}
